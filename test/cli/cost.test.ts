import { cost, modelInfo, type Usage } from 'longhaul/models';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

const model = 'anthropic/claude-haiku-4-5';
const info = modelInfo({ provider: 'anthropic', name: 'claude-haiku-4-5' });

/** A provider that keeps its own account of what it answers. */
function billing(answer: (request: LoopbackRequest) => LoopbackSpoken) {
  const billed: Usage[] = [];
  const kinds: string[] = [];
  const script = async (request: LoopbackRequest): Promise<LoopbackSpoken> => {
    const [input, output] = [request.inputTokens, 1_000 + billed.length];
    billed.push({ input, output, cacheRead: 0, cacheWrite: 0 });
    const kind = request.headers['x-interaction-type'] ?? 'answer';
    kinds.push(kind);
    // A summary in the background is ready before the work ends.
    if (kind === 'answer') await new Promise((resolve) => setTimeout(resolve, 200));
    return { ...answer(request), usage: { input, output, cacheRead: 0, cacheWrite: 0 } };
  };
  const dollars = () => billed.reduce((sum, usage) => sum + (cost({ usage, info }) ?? 0), 0);
  return { script, dollars, kinds };
}

test('sub-agents and summaries are in the total: the run, stats and the provider agree', async () => {
  let asked = 0;
  const provider = billing(({ headers, body }) => {
    if (headers['x-interaction-type'] === 'conversation-compaction') return { text: '<summary>Counting.</summary>' };
    if (JSON.stringify(body).includes('Another agent delegated this task to you'))
      return { text: 'The sub-agent is done.' };
    asked += 1;
    if (asked === 1) {
      const task = { name: 'task', arguments: { description: 'Look', prompt: 'Look around.' } };
      return { toolCalls: [task] };
    }
    const text = Array.from({ length: 900 }, (_, n) => `${asked}x${n * n}`).join(' ');
    return asked < 10 ? { text, toolCalls: [{ name: 'ls', arguments: {} }] } : { text: 'Counted.' };
  });
  const { call } = await agentWorld({ script: provider.script, window: 20_000 });
  const run = await call(['-p', 'Count.', '--yes', '--window', '20000', '--model', model, '--json']);
  const end = eventsOf(run.stdout).at(-1);
  expect(end).toMatchObject({ type: 'run_end', reason: 'done' });
  expect(provider.kinds).toContain('conversation-compaction');
  const stats = JSON.parse((await call(['stats', String(eventsOf(run.stdout)[0]?.session), '--json'])).stdout);
  expect(end?.costUsd).toBeCloseTo(provider.dollars(), 4);
  expect(stats.total.dollars).toBeCloseTo(provider.dollars(), 4);
});

test('--max-cost stops before a request that would exceed it, and the session can be resumed', async () => {
  const provider = billing(({ body }) =>
    resultsIn(body) < 6 ? { toolCalls: [{ name: 'ls', arguments: {} }] } : { text: 'Done.' },
  );
  const { call, server } = await agentWorld({ script: provider.script });
  const stopped = await call(['-p', 'Go.', '--model', model, '--max-cost', '0.03']);
  expect(stopped.code).toBe(3);
  expect(stopped.stderr).toMatch(/Stopped before the next request, .* about \$0\.0\d+; the limit is \$0\.0300\./);
  expect(stopped.stderr).toContain('resume it with:');
  expect(provider.dollars()).toBeLessThan(0.03);
  expect(server.requests.length).toBeGreaterThan(1);
  expect(await call(['-p', '--continue', '--model', model])).toMatchObject({ code: 0, stdout: 'Done.\n' });
});
