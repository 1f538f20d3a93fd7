import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSandbox } from 'longhaul/agent';
import type { LoopbackRequest } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

const { sandbox, missing } = openSandbox({
  settings: { mode: 'auto', network: true, writable: [] },
  root: '/nowhere',
  home: '/nowhere',
  env: process.env,
});
if (!sandbox) console.warn(`The tests of --sandbox are skipped: ${missing}`);

/** A model that runs commands one after the other. */
const running =
  (...commands: readonly string[]) =>
  ({ body }: LoopbackRequest) => {
    const command = commands[resultsIn(body)];
    return command === undefined ? { text: 'Done.' } : { toolCalls: [{ name: 'bash', arguments: { command } }] };
  };

const outcomes = (stdout: string) =>
  eventsOf(stdout).flatMap((event) => (event.type === 'tool_end' ? [String(event.text)] : []));

describe.skipIf(sandbox?.name !== 'bubblewrap')('longhaul -p in a sandbox', () => {
  test('a program of the project cannot write elsewhere or read secrets, and the status names the sandbox', async () => {
    const { call, cwd } = await agentWorld({ script: running('node x.js') });
    const target = '/var/lib/longhaul-sandbox-test';
    writeFileSync(join(cwd, '.env'), 'PLANTED=1');
    writeFileSync(
      join(cwd, 'x.js'),
      `const fs = require('fs'); console.log('read:' + fs.readFileSync('.env', 'utf8') + ':'); fs.writeFileSync('ok', 'x'); fs.writeFileSync('${target}', 'x')`,
    );
    const { stdout } = await call(['-p', 'go', '--yes', '--json', '--sandbox', 'required']);
    const [text] = outcomes(stdout);
    expect(text).toContain('read::');
    expect(text).toContain(`The sandbox blocked a write to ${target}`);
    expect([existsSync(target), readFileSync(join(cwd, 'ok'), 'utf8')]).toEqual([false, 'x']);
    const { stderr } = await call(['-p', 'go', '--yes']);
    expect(stderr).toMatch(/sandbox bubblewrap, network on, session/);
    const off = await call(['-p', 'go', '--sandbox', 'off']);
    expect(off.stderr).toMatch(/no sandbox, session/);
  });
});

test('--sandbox required refuses to begin without one; auto says so once, and how to get it', async () => {
  const { env, cwd, server } = await agentWorld({ script: running('ls', 'ls') });
  const call = (...args: readonly string[]) =>
    // No program that makes a sandbox is found there.
    longhaul({ args: ['-p', 'go', ...args, '--store', 'store'], cwd, env: { ...env, PATH: join(cwd, 'empty') } });
  const required = await call('--sandbox', 'required');
  expect([required.code, required.stdout, server.requests.length]).toEqual([2, '', 0]);
  expect(required.stderr).toMatch(/A sandbox is required.*\n.*--sandbox auto/);
  const auto = await call('--yes');
  expect(auto.stderr.match(/without a sandbox/g)).toHaveLength(1);
  expect(auto.stderr).toMatch(/no sandbox, session/);
});

test('a command that cannot be analyzed is denied under --yes without a terminal, with the reason', async () => {
  const { call, cwd } = await agentWorld({ script: running('touch a; touch $X', 'touch b') });
  const { code, stdout } = await call(['-p', 'go', '--yes', '--json']);
  const [first] = outcomes(stdout);
  expect(first).toMatch(/it could not be analyzed \(it contains \$\)/);
  expect([code, existsSync(join(cwd, 'a')), existsSync(join(cwd, 'b'))]).toEqual([3, false, true]);
});

test('an allowed command runs, and the same line with an escaped comment sign does not', async () => {
  const { call, cwd } = await agentWorld({ script: running('echo test', 'echo test \\ #; touch x') });
  const { stdout } = await call(['-p', 'go', '--allow', 'bash(echo test:*)', '--json']);
  const [first, second] = outcomes(stdout);
  expect(first).toMatch(/^test$|^test\n/);
  expect(second).toMatch(/permission denied: it could not be analyzed/);
  expect(existsSync(join(cwd, 'x'))).toBe(false);
});
