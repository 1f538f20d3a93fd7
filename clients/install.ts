import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CatalogClient } from './catalog.ts';

/** The names of clients on the command line, whether they may be installed, and the folder for them. */
export function clientArguments({ known }: { readonly known: readonly { readonly name: string }[] }) {
  const given = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      install: { type: 'boolean', default: false },
      scratch: { type: 'string', default: join(tmpdir(), 'longhaul-clients') },
    },
  });
  const names = known.map(({ name }) => name);
  if (given.values.help) {
    console.log(`[CLIENT…] [--install] [--scratch FOLDER]\nClients: ${names.join(', ')}; all of them by default.`);
    console.log('--install installs those that are missing in the scratch folder.');
    process.exit(0);
  }
  const unknown = given.positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    console.error(`Unknown client "${unknown}". Known: ${names.join(', ')}.`);
    process.exit(2);
  }
  return given;
}

/** The program of a client in the scratch folder, installed there first if that is allowed; ends the process otherwise. */
export function installedProgram({
  client: { command, package: wanted },
  scratch,
  mayInstall,
}: {
  readonly client: Pick<CatalogClient, 'command' | 'package'>;
  readonly scratch: string;
  readonly mayInstall: boolean;
}): string {
  const folder = join(scratch, 'installed', command);
  const program = join(folder, 'node_modules', '.bin', command);
  if (existsSync(program)) return program;
  if (!mayInstall) {
    console.error(`${command} is not installed in ${scratch}. Add --install to install ${wanted} there.`);
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  console.error(`installing ${wanted}`);
  // Clients unpack their programs in install scripts, which the settings of this project turn off.
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--install-links', '--ignore-scripts=false'];
  const args = ['install', ...flags, wanted];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  return program;
}
