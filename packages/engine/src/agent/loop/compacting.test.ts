import { describe, expect, test } from 'vitest';
import { byCharacter } from '../../engine/fixtures/by-character.ts';
import { slowSummarizer } from '../../engine/fixtures/slow-summarizer.ts';
import { createPolicy, presets } from '../../engine/index.ts';
import type { ModelFailure } from '../../models/index.ts';
import type { ScriptedAnswer } from '../../testing/index.ts';
import { all, begin, endOf, names } from '../fixtures/agent.ts';
import { says, toolOf } from '../fixtures/tools.ts';

const words = 'words of a long story '.repeat(40);
const look = { text: 'Looking.', toolCalls: [{ name: 'look' }] };
const tools = [toolOf({ name: 'look', run: async () => says(words) })];
const rounds = (count: number) => Array.from({ length: count }, () => look);
const overflow: ModelFailure = { kind: 'overflow', message: 'prompt is too long', retryable: false };
const plan = 'A plan in the summary is decided';

/** An agent whose provider counts like the engine, so that no safety margin is needed. */
async function counted({ answers, ...more }: { answers: readonly ScriptedAnswer[] } & Parameters<typeof begin>[0]) {
  let input = 0;
  const script = (_: unknown, index: number) => ({
    usage: { input, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(answers[index] ?? { text: 'Done.' }),
  });
  const bench = await begin({ tools, ...more, script });
  bench.agent.on((event) => {
    if (event.type === 'turn_start') input = event.tokens;
  });
  return bench;
}

describe('after a compaction without pending input (D20)', () => {
  test('on overflow: the work continues with a message of the engine, sent once', async () => {
    const script = [
      ...rounds(12),
      { text: words, reason: 'paused' as const },
      { failure: overflow },
      { text: 'Done.' },
    ];
    const { agent, model, session } = await begin({ script, tools, policy: 'chat' });
    const events = await all(agent.run({ prompt: 'Look.' }));
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.' });
    expect(await session.session.read({ types: ['compaction'] })).toMatchObject([{ trigger: 'overflow' }]);
    const last = model.requests.at(-1)?.items.at(-1);
    expect(last).toMatchObject({ role: 'user', parts: [{ origin: 'engine', text: expect.stringContaining(plan) }] });
    expect(events.filter((event) => event.type === 'said' && event.how === 'continuation')).toHaveLength(1);
  });

  test.each([true, false])('at a threshold, if the policy says so: %s', async (autoContinue) => {
    // Paused repeatedly, so that no message is pending when the threshold is passed.
    const paused = Array.from({ length: 12 }, () => ({ text: words, reason: 'paused' as const }));
    const policy = createPolicy({ base: presets.pi, when: { autoContinue, threshold: 0.7 } });
    const { agent, model, session } = await counted({ answers: [...rounds(30), ...paused], policy, window: 50_000 });
    const events = await all(agent.run({ prompt: 'Look.' }));
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.' });
    expect(await session.session.read({ types: ['compaction'] })).toMatchObject([{ trigger: 'threshold' }]);
    expect(JSON.stringify(model.requests.at(-1)?.items).includes(plan)).toBe(autoContinue);
  });

  test('with pending results, these continue the work', async () => {
    const script = [...rounds(12), { failure: overflow }, { text: 'Done.' }];
    const { agent, model } = await begin({ script, tools });
    const events = await all(agent.run({ prompt: 'Look.' }));
    expect(names(events).filter((name) => name === 'said')).toEqual(['said']);
    expect(model.requests.at(-1)?.items.at(-1)?.role).not.toBe('assistant');
  });
});

test('a model summarizes in the background of stream and tools: nothing waits, and its summary is installed when ready', async () => {
  const summarizer = slowSummarizer();
  const during: string[] = [];
  const bench = await counted({
    answers: rounds(60),
    tools: [
      toolOf({
        name: 'look',
        run: async () => {
          during.push(bench.session.job.state);
          // Ready only after several tools ran in parallel.
          if (during.filter((state) => state === 'running').length === 3) await summarizer.answer();
          return says(words);
        },
      }),
    ],
    window: 64_000,
    summarizer: { ...summarizer, last: byCharacter },
  });
  const events = await all(bench.agent.run({ prompt: 'Look.' }));
  expect(endOf(events)).toMatchObject({ reason: 'done', turns: 61 });
  expect(during.slice(during.indexOf('running')).slice(0, 4)).toEqual(['running', 'running', 'running', 'ready']);
  const reported = events.flatMap((event) => (event.type === 'engine' ? [event.event.type] : []));
  expect(reported).toContain('jobInstalled');
  expect(JSON.stringify(bench.model.requests.at(-1)?.items)).toContain('NARRATIVE of it all');
  for (const event of events) if (event.type === 'turn_start') expect(event.bound).toBeLessThanOrEqual(event.window);
});
