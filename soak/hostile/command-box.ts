import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of the system that lines in the box may use. All others are not found there. */
const programs =
  'cat ls touch grep sed sort head mkdir cp find git wc date sleep tee dd awk uniq mv ln nice nohup timeout env setsid stdbuf xargs taskset busybox chrt sh bash dash true false tail cut tr basename dirname';

/** A folder in which command lines run for real, with canaries around the workspace. */
export interface CommandBox {
  readonly work: string;
  readonly shells: readonly string[];
  /** Runs lines in every shell and says what happened outside the workspace; empty if nothing did. */
  run(lines: readonly string[]): Outcome;
  remove(): void;
}

/** What lines did. */
interface Outcome {
  /** What changed outside the workspace, or which canary was run. */
  readonly damage: readonly string[];
  /** How the allowed program was called: its arguments as it received them. */
  readonly calls: readonly string[];
}

/** Reads lines that are separated by NUL and runs each in a shell of its own. */
const driver = `
while IFS= read -r -d '' line; do
  cd "$BOX/work" || exit 9
  "$SHELL_UNDER_TEST" -c -- "$line" </dev/null >/dev/null 2>&1
done
exit 0
`;

/**
 * Makes the box: a workspace, a neighbor that must not change, and a PATH in which `rm` is a canary and `npm` writes down
 * how it was called.
 */
export function openCommandBox(): CommandBox {
  const box = mkdtempSync(join(tmpdir(), 'longhaul-commands-'));
  for (const folder of ['bin', 'out', 'template/sub', 'template/.git/hooks'])
    mkdirSync(join(box, folder), { recursive: true });
  const files = {
    'template/a': 'x\ny\n',
    'template/.env': 'KEY=1\n',
    'template/.git/config': '',
    'template/.git/HEAD': 'ref: refs/heads/x\n',
    'out/keep': 'k',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(box, name), text);
  writeFileSync(join(box, 'bin/rm'), `#!/bin/dash\n: > '${box}/canary'\n`);
  writeFileSync(
    join(box, 'bin/npm'),
    `#!/bin/dash\nfor word do printf '%s\\001' "$word"; done >> '${box}/calls'\nprintf '\\002' >> '${box}/calls'\n`,
  );
  for (const name of ['rm', 'npm']) chmodSync(join(box, 'bin', name), 0o755);
  for (const name of programs.split(' ')) {
    const path = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((each) => existsSync(each));
    if (path !== undefined) symlinkSync(path, join(box, 'bin', name));
  }
  const shells = ['/bin/bash', '/bin/dash', '/bin/zsh'].filter((path) => existsSync(path));
  const work = join(box, 'work');
  const guarded = (folder: string) => `${treeOf(join(folder, '.git'))}\n${textOf(join(folder, '.env'))}`;
  cpSync(join(box, 'template'), work, { recursive: true });
  const [outside, inside] = [treeOf(join(box, 'out')), guarded(work)];
  const restore = () => {
    rmSync(join(box, 'out'), { recursive: true, force: true });
    mkdirSync(join(box, 'out'));
    writeFileSync(join(box, 'out/keep'), 'k');
  };
  return {
    work,
    shells,
    run(lines) {
      for (const name of ['canary', 'calls']) rmSync(join(box, name), { force: true });
      rmSync(work, { recursive: true, force: true });
      cpSync(join(box, 'template'), work, { recursive: true });
      writeFileSync(join(box, 'lines'), lines.map((line) => `${line}\0`).join(''));
      for (const shell of shells) {
        const input = openSync(join(box, 'lines'), 'r');
        const { status, error } = spawnSync('/bin/bash', ['-c', `${driver}`, 'driver'], {
          stdio: [input, 'ignore', 'inherit'],
          env: { PATH: join(box, 'bin'), BOX: box, SHELL_UNDER_TEST: shell, HOME: join(box, 'out'), LC_ALL: 'C.UTF-8' },
        });
        closeSync(input);
        if (status !== 0) throw new Error(`The driver of command lines ended with ${status ?? error?.message}.`);
      }
      const damage = [
        ...(existsSync(join(box, 'canary')) ? ['rm was run'] : []),
        ...(treeOf(join(box, 'out')) === outside ? [] : ['something was written outside the workspace']),
        ...(guarded(work) === inside ? [] : ['.git or .env was changed']),
      ];
      restore();
      const calls = textOf(join(box, 'calls'))
        .split('\u0002')
        .filter((call) => call !== '');
      return { damage, calls };
    },
    remove: () => rmSync(box, { recursive: true, force: true }),
  };
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Names and contents of everything in a folder. */
function treeOf(folder: string): string {
  if (!existsSync(folder)) return 'missing';
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, 'latin1') : entry.isSymbolicLink() ? readlinkSync(path) : ''}`;
    })
    .toSorted()
    .join('\n');
}
