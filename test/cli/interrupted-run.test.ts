import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { command, longhaul } from './longhaul.ts';
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
    const { env, cwd, server, start } = await agentWorld({ script: slowThenShort });
    const run = start(['-p', 'Count.', '--store', 'my store']);
    await expect.poll(run.stdout, { timeout: 30_000 }).not.toBe('');
    run.child.kill(signal);
    const code = await run.ended;
    expect(code).toBe(130);
    const printed = /resume it with: longhaul (.*)\n/.exec(run.stderr())?.[1] ?? '';
    const program: [string, ...string[]] = ['/bin/sh', '-c', `"$@" ${printed}`, 'sh', ...command];
    const resumed = await longhaul({ args: [], cwd, env, program });
    expect(resumed).toMatchObject({ code: 0, stdout: 'That was the end.\n' });
    expect(resumed.stderr).toContain('continues where it was interrupted');
    // The model sees what it had said before the signal, and that it was cut off.
    expect(server.requests.at(-1)?.text).toMatch(/one two three.*Your answer was interrupted/s);
    expect(server.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
  });
});
