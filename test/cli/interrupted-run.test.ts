import { spawn } from 'node:child_process';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { command, environment, longhaul } from './longhaul.ts';
import { agentWorld } from './provider.ts';

/** The first answer streams slowly; later ones are short. */
function slowThenShort({ index }: LoopbackRequest): LoopbackSpoken {
  if (index > 0) return { text: 'That was the end.' };
  return {
    text: 'one two three four five six seven eight nine ten '.repeat(40),
    transport: { chunkBytes: 40, delayMs: 10 },
  };
}

describe.skipIf(process.platform === 'win32')('a signal in the middle of an answer', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s: the printed command continues the work', async (signal) => {
    const { env, cwd, server } = await agentWorld({ script: slowThenShort });
    const [file, ...first] = command;
    const child = spawn(file, [...first, '-p', 'Count.', '--store', 'my store'], {
      cwd,
      env: { ...environment({ home: cwd }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.stdout === '') child.kill(signal);
      output.stdout += text;
    });
    const code = await new Promise((resolve) => child.on('close', (status, by) => resolve(status ?? by)));
    expect(code).toBe(130);
    const printed = /resume it with: longhaul (.*)\n/.exec(output.stderr)?.[1] ?? '';
    const program: [string, ...string[]] = ['/bin/sh', '-c', `"$@" ${printed}`, 'sh', ...command];
    const resumed = await longhaul({ args: [], cwd, env, program });
    expect(resumed).toMatchObject({ code: 0, stdout: 'That was the end.\n' });
    expect(resumed.stderr).toContain('continues where it was interrupted');
    // The model sees what it had said before the signal, and that it was cut off.
    expect(server.requests.at(-1)?.text).toMatch(/one two three.*Your answer was interrupted/s);
    expect(server.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
  });
});
