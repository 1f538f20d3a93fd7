import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const engine = join(root, 'packages/engine');

/** A folder in which the built engine is installed as a dependency, and nothing else unless it is asked for. */
export class Project implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'longhaul-package-'));

  constructor({ packages = [] }: { readonly packages?: readonly string[] } = {}) {
    const installed = join(this.folder, 'node_modules/longhaul');
    mkdirSync(installed, { recursive: true });
    copyFileSync(join(engine, 'package.json'), join(installed, 'package.json'));
    const tsdown = join(root, 'node_modules/.bin/tsdown');
    execFileSync(tsdown, ['--out-dir', join(installed, 'dist'), '--logLevel', 'error'], { cwd: engine });
    for (const name of packages) this.#link(name);
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
  }

  /** What TypeScript says about files with these options, by its lines; nothing if all is well. */
  complaints({ files, options }: { readonly files: Record<string, string>; readonly options: object }): string[] {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    const strict = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', lib: ['es2024'], types: [] };
    const config = { compilerOptions: { ...strict, skipLibCheck: false, ...options }, files: Object.keys(files) };
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { status, stdout, stderr } = spawnSync(tsc, ['-p', '.', '--pretty', 'false'], {
      encoding: 'utf8',
      cwd: this.folder,
    });
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    return status === 0 || lines.length > 0 ? lines : [`TypeScript ended with ${status}`];
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  #link(name: string): void {
    const path = join(this.folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), path);
  }
}
