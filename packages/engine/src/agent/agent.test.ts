import { describe, expect, test } from 'vitest';
import { all, begin, endOf, names } from './fixtures/agent.ts';
import { says, toolOf } from './fixtures/tools.ts';

describe('a run', () => {
  test('asks the model, runs what it calls, and ends when it calls nothing more', async () => {
    const look = toolOf({ name: 'look', run: async ({ input }) => says(`seen ${String(input.what)}`) });
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
    const { agent, model, session } = await begin({
      script: [
        { text: 'Let me see.', toolCalls: [{ name: 'look', arguments: { what: 'it' } }], usage },
        { text: 'It is there.', usage },
      ],
      tools: [look],
    });
    const events = await all(agent.run({ prompt: 'Is it there?' }));
    expect(names(events)).toEqual([
      ...['run_start', 'said', 'turn_start', 'answer', 'usage', 'tool_start', 'tool_end'],
      ...['turn_start', 'answer', 'usage', 'run_end'],
    ]);
    expect(endOf(events)).toMatchObject({
      reason: 'done',
      turns: 2,
      text: 'It is there.',
      usage: { input: 20, output: 10 },
    });
    expect(model.requests).toHaveLength(2);
    // All requests of a session share one cache key.
    expect(model.requests.map(({ options }) => options.cacheKey)).toEqual([session.id, session.id]);
    expect(session.context.items.map(({ message }) => message.role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant'],
    ]);
    expect(JSON.stringify(model.requests[1]?.items)).toContain('seen it');
    expect(agent.state).toBe('idle');
  });
});
