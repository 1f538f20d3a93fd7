import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../testing/index.ts';
import { all, begin, endOf, names } from '../fixtures/agent.ts';
import { says, toolOf } from '../fixtures/tools.ts';

const words = 'words of a long story '.repeat(40);
const look = { text: 'Looking.', toolCalls: [{ name: 'look' }] };
const tools = [toolOf({ name: 'look', run: async () => says(words) })];

describe('between two requests', () => {
  test('the engine compacts in the middle of a turn, and every request fits', async () => {
    const script = [...Array.from({ length: 25 }, () => look), { text: 'Done.' }];
    const { agent, session, model } = await begin({ script, tools, window: 9_000 });
    const events = await all(agent.run({ prompt: 'Look again and again.' }));
    expect(endOf(events)).toMatchObject({ reason: 'done', turns: 26 });
    expect((await session.session.read({ types: ['compaction'] })).length).toBeGreaterThan(1);
    for (const event of events) if (event.type === 'turn_start') expect(event.bound).toBeLessThanOrEqual(event.window);
    expect(model.requests).toHaveLength(26);
    expect(events.some((event) => event.type === 'engine' && event.event.type === 'compactionComplete')).toBe(true);
  });

  test('another model that is too small: the conversation is compacted with the old one first', async () => {
    const { agent, session, model } = await begin({
      script: [...Array.from({ length: 80 }, () => look), { text: 'Done.' }],
      tools,
    });
    await all(agent.run({ prompt: 'Look.' }));
    const small = scriptedModel({ name: 'small', window: 40_000, script: [{ text: 'Small talk.' }] });
    const heard: unknown[] = [];
    agent.on((event) => void (event.type === 'model' && heard.push(event)));
    expect((await session.preflight({ model: small })).fits).toBe(false);
    await agent.switchModel(small);
    expect(heard).toEqual([{ type: 'model', from: 'test/scripted', to: 'test/small' }]);
    expect(await session.session.read({ types: ['compaction'] })).toMatchObject([{ trigger: 'model-switch' }]);
    const events = await all(agent.run({ prompt: 'And now?' }));
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Small talk.' });
    expect(events[0]).toMatchObject({ type: 'run_start', model: 'test/small' });
    expect(model.requests).toHaveLength(81);
  });

  test('a switch in the middle of a run takes effect with the next request', async () => {
    const other = scriptedModel({ name: 'other', script: [{ text: 'I am another one.' }] });
    let switched: Promise<void> | undefined;
    const { agent, model } = await begin({
      script: [look],
      tools: [
        toolOf({
          name: 'look',
          run: async () => {
            switched = agent.switchModel(other);
            return says('seen');
          },
        }),
      ],
    });
    const events = await all(agent.run({ prompt: 'Go.' }));
    await switched;
    expect(names(events)).toContain('model');
    expect(endOf(events).text).toBe('I am another one.');
    expect(model.requests).toHaveLength(1);
    expect(agent.model.id.name).toBe('other');
  });

  test('a lack of memory compacts before the next request', async () => {
    const script = [...Array.from({ length: 40 }, () => look), { text: 'Done.' }];
    let press: (use: { used: number; limit: number }) => void = () => undefined;
    let calls = 0;
    const observe = (listener: typeof press) => {
      press = listener;
      return () => undefined;
    };
    const { agent, session } = await begin({
      script,
      tools: [
        toolOf({
          name: 'look',
          run: async () => {
            if (++calls === 39) press({ used: 95, limit: 100 });
            return says(words);
          },
        }),
      ],
      window: 100_000,
      memory: { observe },
    });
    await all(agent.run({ prompt: 'Look.' }));
    expect(await session.session.read({ types: ['compaction'] })).toMatchObject([{ trigger: 'memory' }]);
  });
});
