import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

const reads = (file: string) => ({ text: 'I read.', toolCalls: [{ name: 'read', arguments: { file_path: file } }] });
const lines = (name: string) =>
  Array.from({ length: 400 }, (_, index) => `${name} ${index}: keep this line\n`).join('');

describe('one count', () => {
  test('context, compact, stats and the meter agree with each other and with the provider', async () => {
    const { call, cwd, server } = await agentWorld({
      skew: 1.3,
      script: ({ body }) => [reads('a.txt'), reads('b.txt')][resultsIn(body)] ?? { text: 'Done.' },
    });
    for (const name of ['a', 'b']) writeFileSync(join(cwd, `${name}.txt`), lines(name));
    const settings = ['--model', 'anthropic/claude-opus-5', '--window', '50000', '--json'];
    const { stdout } = await call(['-p', 'Read both files.', '--yes', ...settings]);
    const events = eventsOf(stdout);
    const usage = events.findLast(({ type }) => type === 'usage')?.usage as Record<string, number>;
    const reported = ['input', 'cacheRead', 'cacheWrite'].reduce((sum, kind) => sum + (usage[kind] ?? 0), 0);
    expect(server.requests).toHaveLength(3);

    const context = JSON.parse((await call(['context', 'last', '--json'])).stdout);
    const dry = JSON.parse((await call(['compact', 'last', '--dry-run', '--json'])).stdout);
    const stats = JSON.parse((await call(['stats', 'last', '--json'])).stdout);
    // What came after the last report is the answer "Done."; the tools are part of all of it.
    expect(context.tokens).toBeGreaterThan(reported);
    expect(context.tokens).toBeLessThan(reported + 40);
    expect(context.bound).toBeLessThan(reported * 1.06);
    expect(context.breakdown.tools).toBeGreaterThan(500);
    expect(context.tools.length).toBeGreaterThan(4);
    expect(context.window).toBe(50_000);
    expect(dry.tokensBefore).toBe(context.tokens);
    expect(stats.context).toEqual({ tokens: context.tokens, bound: context.bound, window: 50_000 });

    // The meter of the next request starts from the same figure.
    const next = eventsOf((await call(['-p', 'And now?', '--continue', ...settings])).stdout);
    const start = next.find(({ type }) => type === 'turn_start');
    expect(start?.tokens).toBeGreaterThan(context.tokens);
    expect(start?.tokens).toBeLessThan(context.tokens + 60);
  });
});
