import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { anthropicBroken } from './conversations.ts';
import { command, environment, folder, longhaul } from './longhaul.ts';

test('a reader that has seen enough is no failure', async () => {
  const cwd = folder();
  const many = Array.from({ length: 5000 }, () => anthropicBroken).flat();
  writeFileSync(join(cwd, 'chat.json'), JSON.stringify(many));
  const [file, ...first] = command;
  const child = spawn(file, [...first, 'check', 'chat.json'], { cwd, env: environment({ home: cwd }) });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

test.skipIf(!existsSync('/dev/full'))('a full disk behind standard output is reported, with exit code 2', async () => {
  const [file, ...first] = command;
  const program: [string, ...string[]] = ['/bin/sh', '-c', '"$0" "$@" > /dev/full', file, ...first];
  const { code, stderr } = await longhaul({ args: ['presets'], program });
  expect(code).toBe(2);
  expect(stderr).toContain('longhaul: standard output cannot be written: ENOSPC');
});

test.skipIf(process.platform === 'win32')('Ctrl-C ends it at once, without a word', async () => {
  const [file, ...first] = command;
  // It waits for standard input, which stays open.
  const child = spawn(file, [...first, 'check', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment({ home: folder() }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.once('spawn', () => setTimeout(() => child.kill('SIGINT'), 500));
  const signal = await new Promise((resolve) => child.on('close', (_, name) => resolve(name)));
  // A shell reports this as 130.
  expect({ signal, output }).toEqual({ signal: 'SIGINT', output: '' });
});

describe('killed while it writes', () => {
  test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    '%s takes the temporary file away and ends it all the same',
    async (signal) => {
      const cwd = folder();
      writeFileSync(join(cwd, 'chat.json'), JSON.stringify(anthropicBroken));
      writeFileSync(join(cwd, 'out.json'), 'old and whole');
      const hook = fileURLToPath(new URL('./kill-before-rename.ts', import.meta.url));
      const { code } = await longhaul({
        args: ['check', 'chat.json', '--repair', '--output', 'out.json', '--force'],
        cwd,
        env: { END_WITH: signal, NODE_OPTIONS: `--import=${hook}` },
      });
      expect(code).toBe(signal);
      expect(readdirSync(cwd)).toEqual(['chat.json', 'out.json']);
      expect(readFileSync(join(cwd, 'out.json'), 'utf8')).toBe('old and whole');
    },
  );

  test('the old file is still whole: the new one gets its name in the last step', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(anthropicBroken));
    writeFileSync(join(cwd, 'out.json'), 'old and whole');
    const hook = fileURLToPath(new URL('./kill-before-rename.ts', import.meta.url));
    const { code } = await longhaul({
      args: ['check', 'chat.json', '--repair', '--output', 'out.json', '--force'],
      cwd,
      env: { NODE_OPTIONS: `--import=${hook}` },
    });
    expect(code).toBe('SIGKILL');
    expect(readFileSync(join(cwd, 'out.json'), 'utf8')).toBe('old and whole');
    // What it wrote is complete under another name in the same folder.
    const [temporary = ''] = readdirSync(cwd).filter((name) => name.endsWith('.longhaul-tmp'));
    expect(JSON.parse(readFileSync(join(cwd, temporary), 'utf8'))).toHaveLength(5);
  });
});

describe('the working directory', () => {
  test('is the working folder of the user, although npm changes it', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'sub'));
    writeFileSync(join(cwd, 'sub', 'chat.json'), JSON.stringify(anthropicBroken));
    const run = (script: string) =>
      longhaul({
        args: ['check', 'chat.json'],
        cwd,
        env: { INIT_CWD: join(cwd, 'sub'), npm_lifecycle_event: script, npm_package_name: 'longhaul-workspace' },
      });
    expect((await run('longhaul')).stdout).toContain('chat.json: not valid for anthropic');
    expect((await run('test')).stderr).toContain('chat.json does not exist');
  });

  test.skipIf(process.platform === 'win32')('that was deleted is reported, with exit code 2', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'gone'));
    const program: [string, ...string[]] = ['/bin/sh', '-c', 'cd gone && rmdir ../gone && "$0" "$@"', ...command];
    const { code, stdout, stderr } = await longhaul({ args: ['check', 'chat.json'], cwd, program });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^longhaul: The current folder no longer exists[^\n]*\n {2}[^\n]*\n$/);
  });
});

describe('the built command', () => {
  const bin = fileURLToPath(new URL('../../packages/cli/bin/longhaul.cjs', import.meta.url));
  const prepared = fileURLToPath(new URL('../../packages/cli/dist/prepared.json', import.meta.url));
  const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    const version = existsSync(path) ? spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout : '';
    return /^v\d+/.test(version) && Number.parseInt(version.slice(1), 10) < 24;
  });

  /** The launcher as a package has it: without the clone around it. */
  function installed({ built }: { readonly built: boolean }): string {
    const cwd = folder();
    const own = fileURLToPath(new URL('../../packages/cli/', import.meta.url));
    mkdirSync(join(cwd, 'cli'));
    cpSync(join(own, 'bin'), join(cwd, 'cli/bin'), { recursive: true });
    if (built) cpSync(join(own, 'dist'), join(cwd, 'cli/dist'), { recursive: true });
    return join(cwd, 'cli/bin/longhaul.cjs');
  }

  test('tells an old Node in one line what it needs', async ({ skip }) => {
    skip(oldNode === undefined, 'this machine has no Node older than 24');
    const program: [string, string] = [oldNode ?? '', installed({ built: false })];
    const { code, stdout, stderr } = await longhaul({ args: ['demo'], program });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^longhaul needs Node 24 or newer; this is Node \d+\.\d+\.\d+\. [^\n]+\n$/);
  });

  test('started with an old Node in a clone, it uses the Node that the clone has', async ({ skip }) => {
    skip(oldNode === undefined, 'this machine has no Node older than 24');
    const cwd = folder();
    const { code, stdout, stderr } = await longhaul({
      args: ['count', '-'],
      cwd,
      input: 'Hi!',
      program: [oldNode ?? '', bin],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\b2\b/);
  });

  test('prints help and version as the program itself does, without loading it', async ({ skip }) => {
    skip(!existsSync(prepared), 'the packages are not built; npm test builds them first');
    const path = installed({ built: true });
    // Only the prepared texts are left.
    rmSync(join(dirname(path), '../dist/main.js'));
    for (const flag of ['--help', '-h', '--version']) {
      const short = await longhaul({ args: [flag], program: [process.execPath, path] });
      expect(short).toEqual(await longhaul({ args: [flag] }));
    }
  });

  test('from a clone runs the sources when the build is older', async ({ skip }) => {
    skip(!existsSync(prepared), 'the packages are not built; npm test builds them first');
    const cwd = folder();
    for (const name of ['cli', 'engine', 'workspace', 'gateway'])
      mkdirSync(join(cwd, name, 'src'), { recursive: true });
    for (const file of ['cli/dist/main.js', 'cli/src/main.ts'])
      writeFileSync(join(cwd, mkdirFor(cwd, file)), `console.log('${file}');\n`);
    for (const file of ['cli/dist/prepared.json', 'engine/dist/index.js', 'workspace/dist/search/index.js'])
      writeFileSync(join(cwd, mkdirFor(cwd, file)), '{"version":"built","help":""}');
    writeFileSync(join(cwd, mkdirFor(cwd, 'gateway/dist/index.js')), '');
    writeFileSync(join(cwd, 'cli/package.json'), '{"type":"module"}');
    writeFileSync(join(cwd, 'cli/tsdown.config.ts'), '');
    cpSync(dirname(bin), join(cwd, 'cli/bin'), { recursive: true });
    const run = async () =>
      (await longhaul({ args: ['x'], program: [process.execPath, join(cwd, 'cli/bin/longhaul.cjs')] })).stdout;
    const at = (file: string, time: number) => utimesSync(join(cwd, file), time, time);
    at('cli/src/main.ts', 1_000);
    expect(await run()).toBe('cli/dist/main.js\n');
    at('cli/src/main.ts', Date.now() / 1000 + 60);
    expect(await run()).toBe('cli/src/main.ts\n');
    at('cli/src/main.ts', 1_000);
    writeFileSync(join(cwd, 'engine/src/a.ts'), '');
    at('engine/src/a.ts', Date.now() / 1000 + 60);
    expect(await run()).toBe('cli/src/main.ts\n');
  });
});

function mkdirFor(cwd: string, file: string): string {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  return file;
}
