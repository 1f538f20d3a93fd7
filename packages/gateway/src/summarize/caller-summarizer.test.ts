import type { LoopbackRequest } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { FakeAgent } from '../fixtures/agent.ts';
import { start, work } from '../fixtures/start.ts';

/** Answers the agent with one call after the other, and requests for a summary with a narrative. */
function script() {
  let steps = 0;
  return ({ headers }: LoopbackRequest) => {
    if (headers['x-interaction-type'] === 'conversation-compaction')
      return { text: '<summary>Files were read.</summary>' };
    steps += 1;
    return { text: `Step ${steps}.`, toolCalls: [{ name: 'read', arguments: { path: `src/file-${steps}.ts` } }] };
  };
}

const isSummary = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
  headers['x-interaction-type'] === 'conversation-compaction';

it.each(['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const)(
  'asks the model of the client for summaries only where that was asked for: %s',
  async (dialect) => {
    await using at = await start({ summarizer: 'model', loopback: { script: script() } });
    const agent = new FakeAgent({ dialect, url: at.url });
    agent.say('Read all files.');
    await work({ agent, turns: 14 });
    const summaries = at.loopback.requests.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.every(({ verdict }) => verdict?.legal)).toBe(true);
    const [session] = await at.sessions();
    expect(session?.entries.some(({ type }) => type === 'compaction')).toBe(true);
  },
);

it('asks no model where the limit is spent, and none by default', async () => {
  for (const options of [{ summarizer: 'model', maxSummaryCost: 0 }, {}] as const) {
    await using at = await start({ ...options, loopback: { script: script() } });
    const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
    agent.say('Read all files.');
    await work({ agent, turns: 16 });
    expect(at.loopback.requests.filter(isSummary)).toEqual([]);
    expect((await at.sessions())[0]?.entries.some(({ type }) => type === 'compaction')).toBe(true);
  }
});
