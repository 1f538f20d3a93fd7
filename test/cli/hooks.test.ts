import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';
import { world } from './world.ts';

const onPosix = test.skipIf(process.platform === 'win32');

function settings(home: string, value: object): void {
  mkdirSync(join(home, 'no-home', '.config', 'longhaul'), { recursive: true });
  writeFileSync(join(home, 'no-home', '.config', 'longhaul', 'config.json'), JSON.stringify(value));
}

onPosix('hooks of the settings are tried in the real shell', async () => {
  const cwd = folder();
  const [ok, block, slow] = [`grep -o '"trigger":"[a-z]*"'`, 'echo no >&2; exit 2', 'sleep 60'];
  settings(cwd, {
    hooks: { PreCompact: [{ command: ok }, { command: block }, { command: slow, timeout: 0.2 }] },
  });
  const { code, stdout } = await longhaul({ args: ['hooks', 'test', '--json'], cwd, env: { SECRET_KEY: 'x' } });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).hooks).toMatchObject([
    { command: ok, exitCode: 0, takenAs: 'answer', answer: { context: ['"trigger":"manual"'] } },
    { command: block, exitCode: 2, takenAs: 'block', reason: 'no' },
    { command: slow, exitCode: null, timedOut: true, takenAs: 'failure' },
  ]);
});

onPosix('a session that grows in another process is watched until Ctrl-C', async () => {
  const { cwd, json, file } = world();
  file('chat.json', JSON.stringify([{ role: 'user', content: 'Never push to main.' }]));
  const { value } = await json('import', 'chat.json');
  const [program, ...first] = command;
  const child = spawn(program, [...first, 'watch', value.sessionId, '--json', '--store', 'store'], {
    cwd,
    env: environment({ home: cwd }),
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // Pins are added until one is reported: when the other process starts to read is not known.
  const reported = lines.next();
  let isTold = false;
  void reported.then(() => {
    isTold = true;
  });
  for (let pin = 1; !isTold && pin < 50; pin += 1) await json('pin', value.sessionId, `Rule ${pin}.`);
  expect(JSON.parse((await reported).value ?? '')).toMatchObject({
    kind: 'pin',
    what: expect.stringMatching(/^pinned: Rule/),
  });
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});
