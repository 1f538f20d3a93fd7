import { describe, expect, test, vi } from 'vitest';
import { byCharacter } from '../../engine/fixtures/by-character.ts';
import { slowSummarizer } from '../../engine/fixtures/slow-summarizer.ts';
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

  test('a switch to a smaller model: the old model compacts the conversation first', async () => {
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

  test('a switch to a much smaller model: one compaction for its window, and the next request fits', async () => {
    const { agent, session } = await begin({
      script: [...Array.from({ length: 80 }, () => look), { text: 'Done.' }],
      tools,
    });
    await all(agent.run({ prompt: 'Look.' }));
    const small = scriptedModel({ name: 'small', window: 12_000, script: [{ text: 'Small talk.' }] });
    const heard: string[] = [];
    agent.on((event) => {
      if (event.type === 'model') heard.push('model');
      if (event.type === 'engine' && event.event.type.startsWith('compaction')) heard.push(event.event.type);
    });
    await agent.switchModel(small);
    expect((await session.preflight({ model: small })).fits).toBe(true);
    const events = await all(agent.run({ prompt: 'And now?' }));
    expect(heard).toEqual(['compactionStart', 'compactionComplete', 'model']);
    expect(events.find(({ type }) => type === 'turn_start')).toMatchObject({ window: 12_000 });
    for (const event of events) if (event.type === 'turn_start') expect(event.bound).toBeLessThan(12_000);
    expect(endOf(events).reason).toBe('done');
  });

  test('a failed summary does not prevent a switch: the next request is made to fit', async () => {
    const summarizer = slowSummarizer();
    const { agent } = await begin({
      script: [...Array.from({ length: 80 }, () => look), { text: 'Done.' }],
      tools,
      summarizer: { ...summarizer, last: { ...byCharacter, summarize: async () => Promise.reject(new Error('no')) } },
    });
    await all(agent.run({ prompt: 'Look.' }));
    const small = scriptedModel({ name: 'small', window: 40_000, script: [{ text: 'Small talk.' }] });
    const notices: string[] = [];
    agent.on((event) => void (event.type === 'notice' && notices.push(event.text)));
    const switched = agent.switchModel(small);
    await vi.waitFor(() => expect(summarizer.asked).toHaveLength(1));
    await summarizer.fail();
    await switched;
    expect(agent.model.id.name).toBe('small');
    expect(notices).toEqual([expect.stringContaining('could not be compacted')]);
  });

  test('a slow switch: a run that starts meanwhile waits for it', async () => {
    const summarizer = slowSummarizer();
    const { agent, model } = await begin({
      script: [...Array.from({ length: 80 }, () => look), { text: 'Done.' }],
      tools,
      summarizer: { ...summarizer, last: byCharacter },
    });
    await all(agent.run({ prompt: 'Look.' }));
    const small = scriptedModel({ name: 'small', window: 40_000, script: [{ text: 'Small talk.' }] });
    const switched = agent.switchModel(small);
    await vi.waitFor(() => expect(summarizer.asked).toHaveLength(1));
    const reported = all(agent.run({ prompt: 'And now?' }));
    await summarizer.answer();
    await switched;
    const events = await reported;
    expect(endOf(events).text).toBe('Small talk.');
    // The request is prepared for the model that receives it.
    expect(events.find(({ type }) => type === 'turn_start')).toMatchObject({ window: 40_000 });
    expect(model.requests).toHaveLength(81);
  });

  test('a switch during a run takes effect with the next request', async () => {
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

  describe('low memory', () => {
    /** Memory is low while the 39th tool runs. */
    async function pressed(more: Parameters<typeof begin>[0] = {}) {
      let press: (use: { used: number; limit: number }) => void = () => undefined;
      let calls = 0;
      const observe = (listener: typeof press) => {
        press = listener;
        return () => undefined;
      };
      const run = async () => {
        if (++calls === 39) press({ used: 95, limit: 100 });
        return says(words);
      };
      const script = [...Array.from({ length: 40 }, () => look), { text: 'Done.' }];
      return await begin({
        script,
        tools: [toolOf({ name: 'look', run })],
        window: 100_000,
        memory: { observe },
        ...more,
      });
    }

    test('compacts before the next request', async () => {
      const { agent, session } = await pressed();
      await all(agent.run({ prompt: 'Look.' }));
      expect(await session.session.read({ types: ['compaction'] })).toMatchObject([{ trigger: 'memory' }]);
    });

    test('that cannot be reduced stops nothing', async () => {
      const { agent, session } = await pressed();
      session.compact = async () => Promise.reject(new Error('no disk'));
      const events = await all(agent.run({ prompt: 'Look.' }));
      expect(endOf(events)).toMatchObject({ reason: 'done', turns: 41 });
      expect(events).toContainEqual({ type: 'notice', text: expect.stringContaining('no disk') });
    });

    test('does not wait for a model after an abort', async () => {
      const summarizer = slowSummarizer();
      const { agent } = await pressed({ policy: 'cli', summarizer: { ...summarizer, last: byCharacter } });
      const reported = all(agent.run({ prompt: 'Look.' }));
      await vi.waitFor(() => expect(summarizer.asked).toHaveLength(1));
      agent.abort();
      expect(endOf(await reported).reason).toBe('aborted');
      expect(summarizer.asked[0]?.trigger).toBe('memory');
    });
  });
});
