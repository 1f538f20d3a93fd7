import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, longhaul } from './longhaul.ts';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

/** Prints the environment of the shell, of its parent, and so on, each behind its name. */
const walk = [
  'pid=$$',
  'while [ "$pid" -gt 1 ]; do',
  '  echo "== $(cat /proc/$pid/comm)"',
  '  tr "\\0" "\\n" < /proc/$pid/environ',
  '  pid=$(sed "s/.*) //" /proc/$pid/stat | cut -d " " -f 2)',
  'done > environs.txt 2>/dev/null',
  'readlink /proc/self/ns/pid > namespace.txt',
  'true',
].join('\n');

const runs = { name: 'bash', arguments: { command: 'sh walk.sh' } };
const secrets = { MY_SERVICE_TOKEN: 'tok-4d7f1a9c2b', WEIRD_NAME: `prefix tok-4d7f1a9c2b suffix` };

describe.runIf(existsSync('/proc/self/environ'))('keys in the environment', () => {
  test('a command cannot read them from itself or from the agent, but from the shell that started it unless it runs in a PID namespace', async () => {
    const { cwd, env, key, call } = await agentWorld({
      script: ({ body }) => (resultsIn(body) === 0 ? { toolCalls: [runs] } : { text: 'Done.' }),
    });
    writeFileSync(join(cwd, 'walk.sh'), walk);
    const { code } = await longhaul({
      args: ['-p', 'Look.', '--yes', '--store', 'store'],
      cwd,
      env: { ...env, ...secrets, HARMLESS: 'kept' },
      // As from a terminal: a shell that has the keys starts the agent, and waits for it.
      program: ['/bin/sh', '-c', '"$@"; exit $?', 'sh', ...command],
    });
    expect(code).toBe(0);
    const environs = readFileSync(join(cwd, 'environs.txt'), 'utf8').split('== ');
    const started = environs.filter((text) => text.includes('HARMLESS=kept'));
    const leaking = started.filter((text) => text.includes(key) || text.includes('tok-4d7f1a9c2b'));
    if (readFileSync(join(cwd, 'namespace.txt'), 'utf8').trim() === readlinkSync('/proc/self/ns/pid')) {
      // The command, the agent and the shell that started it. The shell's own environment is not ours to change.
      expect(started.length).toBeGreaterThanOrEqual(3);
      expect(leaking.map((text) => text.split('\n')[0])).toEqual(['sh']);
      expect(started.at(-1)).toBe(leaking[0]);
    } else {
      expect(leaking).toEqual([]);
    }
    expect(await call(['sessions'])).toMatchObject({ code: 0 });
  });

  test('exit codes, output and piped input are what they are without keys', async () => {
    const { env, call } = await agentWorld({ script: () => ({ failure: 'auth' }) });
    expect(await call(['-p'], 'hi')).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid x-api-key') });
    const [file, ...first] = command;
    const { status, stdout } = spawnSync(file, [...first, '--version'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

test('no event of a run has a secret that a tool read', async () => {
  const { cwd, call } = await agentWorld({
    script: ({ body }) =>
      resultsIn(body) === 0
        ? { toolCalls: [{ name: 'bash', arguments: { command: 'cat app.ini; echo PGPASSWORD=s3cr3t-pw psql' } }] }
        : { text: 'Done.' },
  });
  writeFileSync(join(cwd, 'app.ini'), 'db_password = "hunter2222"\n');
  const { stdout } = await call(['-p', 'The password is Tr0ub4dor99.', '--yes', '--json']);
  const events = eventsOf(stdout);
  expect(events.find(({ type }) => type === 'tool_end')).toMatchObject({
    text: expect.stringMatching(/db_password = "\[secret:[0-9a-f]{6}\]"/),
  });
  expect(stdout).not.toMatch(/hunter2222|s3cr3t-pw|Tr0ub4dor99/);
});
