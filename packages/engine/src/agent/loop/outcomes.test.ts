import { describe, expect, test } from 'vitest';
import { system } from '../../message/index.ts';
import type { ModelFailure } from '../../models/index.ts';
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from '../../testing/index.ts';
import type { AgentEvent } from '../event.ts';
import { all, type Bench, begin, endOf, names } from '../fixtures/agent.ts';
import { reads, says, toolOf, writes } from '../fixtures/tools.ts';

const tools = [toolOf({ name: 'look' })];
const look = { name: 'look' };

const run = async (bench: Bench, prompt = 'Go.'): Promise<AgentEvent[]> => await all(bench.agent.run({ prompt }));
const after = async (script: readonly ScriptedAnswer[]) => {
  const bench = await begin({ script, tools });
  return { ...bench, events: await run(bench) };
};
const roles = ({ session }: Bench) => session.context.items.map(({ message }) => message.role).slice(1);
const lastText = ({ model }: Pick<Bench, 'model'>, index: number) =>
  JSON.stringify(model.requests[index]?.items.at(-1)?.parts);

describe('how an answer may end', () => {
  test('cut off by its length: it is asked to continue, a few times', async () => {
    const bench = await after([{ text: 'one', reason: 'length' }, { text: 'two' }]);
    expect(endOf(bench.events)).toMatchObject({ reason: 'done', text: 'two', turns: 2 });
    expect(lastText(bench, 1)).toContain('cut off');
    const endless = await after(Array.from({ length: 9 }, () => ({ text: 'more', reason: 'length' as const })));
    expect(endless.model.requests).toHaveLength(4);
    expect(endOf(endless.events)).toMatchObject({ reason: 'done' });
    expect(endless.events).toContainEqual({ type: 'notice', text: expect.stringContaining('output limit') });
  });

  test('cut off inside a call: the call gets an error result, and nothing runs', async () => {
    let runs = 0;
    const count = toolOf({ name: 'look', run: async () => says(String(++runs)) });
    const bench = await begin({
      script: [{ toolCalls: [{ name: 'look', arguments: '{"path": "/re' }], reason: 'length' }, { text: 'Smaller.' }],
      tools: [count],
    });
    const events = await run(bench);
    expect(runs).toBe(0);
    expect(events.find(({ type }) => type === 'tool_end')).toMatchObject({ isError: true });
    expect(lastText(bench, 1)).toContain('not a JSON object');
    expect(endOf(events).reason).toBe('done');
  });

  test('paused by the provider: the same conversation is sent again, ending with the partial answer', async () => {
    const bench = await after([{ text: 'Searching', reason: 'paused' }, { text: 'Found.' }]);
    expect(bench.model.requests[1]?.items.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(endOf(bench.events)).toMatchObject({ reason: 'done', text: 'Found.' });
  });

  test('refused: it is not sent again, and the text stays', async () => {
    const bench = await after([{ text: 'I will not do that.', reason: 'refused' }]);
    expect(endOf(bench.events)).toMatchObject({ reason: 'refused', text: 'I will not do that.' });
    expect(bench.model.requests).toHaveLength(1);
    expect(roles(bench)).toEqual(['user', 'assistant']);
    const filtered = await after([{ failure: 'refused' }]);
    expect(endOf(filtered.events)).toMatchObject({ reason: 'refused', failure: { kind: 'refused' } });
    expect(filtered.model.requests).toHaveLength(1);
  });

  test('empty: the model gets a note once; a second time ends the run', async () => {
    const bench = await after([{}, { text: 'Here.' }]);
    expect(lastText(bench, 1)).toContain('empty');
    expect(endOf(bench.events)).toMatchObject({ reason: 'done', text: 'Here.' });
    const silent = await after([{ thinking: 'hm' }, { thinking: 'hm' }, { text: 'never asked' }]);
    expect(silent.model.requests).toHaveLength(2);
    expect(endOf(silent.events).reason).toBe('done');
    expect((await silent.session.session.read({ types: ['partial_answer'] })).length).toBeGreaterThan(0);
  });

  test('after the maximum number of requests it ends, and continues when run again', async () => {
    const bench = await begin({
      script: [{ toolCalls: [look] }, { toolCalls: [look] }, { text: 'Done.' }],
      tools,
      maxTurns: 2,
    });
    expect(endOf(await run(bench))).toMatchObject({ reason: 'max_turns', turns: 2 });
    expect(roles(bench)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(endOf(await all(bench.agent.run()))).toMatchObject({ reason: 'done', text: 'Done.' });
  });
});

test('context changes by the provider are noted and reported; requests and resumes are unaffected', async () => {
  const signal = { kind: 'edits', name: 'clear_tool_uses_20250919', tokens: 700, value: { type: 'clear' } } as const;
  const usual = scriptedModel({ script: [{ toolCalls: [look] }, { text: 'Done.' }] });
  const model: ScriptedModel = {
    ...usual,
    async *stream(request) {
      yield { type: 'provider_compaction', signal };
      yield* usual.stream(request);
    },
  };
  const bench = await begin({ model, tools });
  const events = await run(bench);
  const { value: _, ...about } = signal;
  expect(events.filter(({ type }) => type === 'provider_compaction')).toEqual(
    Array(2).fill({ type: 'provider_compaction', ...about }),
  );
  const own = await bench.session.session.read({ types: ['provider_compaction'] });
  expect(own).toMatchObject(Array(2).fill(signal));
  expect(roles(bench)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(await bench.agent.pending()).toEqual({ calls: [], needsAnswer: false, messages: [] });
});

describe('a request that fails', () => {
  const rate: ModelFailure = { kind: 'rate', message: 'Slow down.', retryable: true, delayMs: 7_000 };

  test('temporarily is retried after the delay of the server, visibly and with the same bytes', async () => {
    const bench = await begin({ script: [{ text: 'half', failure: rate }, { text: 'Done.' }] });
    const reported = run(bench);
    await bench.clock.advance(6_999);
    expect(bench.model.requests).toHaveLength(1);
    await bench.clock.advance(1);
    const events = await reported;
    expect(events).toContainEqual({ type: 'retry', attempt: 1, delayMs: 7_000, failure: rate });
    expect(bench.model.requests[1]?.items).toEqual(bench.model.requests[0]?.items);
    expect(endOf(events)).toMatchObject({ reason: 'done', turns: 1 });
    expect(names(events).filter((name) => name === 'turn_start')).toHaveLength(1);
    expect(JSON.stringify(await bench.session.session.read({ types: ['partial_answer'] }))).toContain('half');
  });

  test('waits longer each time with up to a quarter of jitter, and finally gives up', async () => {
    const script = Array.from({ length: 9 }, () => ({ failure: 'network' as const }));
    const bench = await begin({ script, random: () => 1 });
    const reported = run(bench);
    for (let second = 0; second < 60; second += 1) await bench.clock.advance(1_000);
    const events = await reported;
    const waits = events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : []));
    expect(waits).toEqual([1_500, 3_000, 6_000]);
    expect(bench.model.requests).toHaveLength(4);
    expect(endOf(events)).toMatchObject({ reason: 'failed', failure: { kind: 'network' } });
  });

  test.each(['quota', 'auth', 'invalid', 'unknown'] as const)('permanently (%s) is sent once', async (kind) => {
    const bench = await after([{ failure: kind }]);
    expect(bench.model.requests).toHaveLength(1);
    expect(endOf(bench.events)).toMatchObject({ reason: 'failed', failure: { kind } });
    expect(roles(bench)).toEqual(['user']);
  });

  test('with a delay beyond the maximum is not retried', async () => {
    const bench = await after([{ failure: { ...rate, delayMs: 3_600_000 } }]);
    expect(bench.model.requests).toHaveLength(1);
    expect(endOf(bench.events).reason).toBe('failed');
  });
});

describe('a request that is too long', () => {
  const overflow: ModelFailure = { kind: 'overflow', message: 'prompt is too long', retryable: false };
  const long = 'All the words of a long story. '.repeat(40);

  test('is made smaller and sent once more; the failed answer is dropped', async () => {
    const script = [
      ...Array.from({ length: 6 }, () => ({ text: long, toolCalls: [look] })),
      { text: 'half of it', failure: overflow },
      { text: 'Done.' },
    ];
    const bench = await begin({ script, tools });
    const events = await run(bench);
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.' });
    expect(names(events)).toContain('overflow');
    const [before, smaller] = bench.model.requests.slice(-2).map(({ items }) => JSON.stringify(items));
    expect(smaller?.length).toBeLessThan(before?.length ?? 0);
    expect(smaller).not.toContain('half of it');
    const made = await bench.session.session.read({ types: ['compaction'] });
    expect(made).toMatchObject([{ trigger: 'overflow' }]);
  });

  test('a second time in a row ends the run with the failure', async () => {
    const script = [
      ...Array.from({ length: 6 }, () => ({ text: long, toolCalls: [look] })),
      { failure: overflow },
      { failure: overflow },
      { text: 'never asked' },
    ];
    const bench = await begin({ script, tools });
    const events = await run(bench);
    expect(endOf(events)).toMatchObject({ reason: 'failed', failure: { kind: 'overflow' } });
    expect(bench.model.requests).toHaveLength(8);
  });

  test('that no cut can make fit ends with a failure that names what is too large', async () => {
    const bench = await begin({
      head: [system('x'.repeat(9_000))],
      window: 4_000,
    });
    const events = await run(bench);
    expect(endOf(events)).toMatchObject({ reason: 'failed', failure: { kind: 'overflow' } });
    expect(bench.model.requests).toHaveLength(0);
  });
});

describe('calls', () => {
  test('without side effects run concurrently; one with side effects runs alone, in order', async () => {
    const order: string[] = [];
    const slow = (name: string, access: typeof reads) =>
      toolOf({
        name,
        access,
        run: async ({ callId }) => {
          order.push(`+${callId}`);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(`-${callId}`);
          return says('ok');
        },
      });
    const calls = ['read', 'read', 'write', 'read', 'write'].map((name, index) => ({ name, id: `c${index}` }));
    const bench = await begin({
      script: [{ toolCalls: calls }, { text: 'Done.' }],
      tools: [slow('read', reads), slow('write', writes)],
    });
    await run(bench);
    expect(order).toEqual([...['+c0', '+c1', '-c0', '-c1', '+c2', '-c2', '+c3', '-c3', '+c4', '-c4']]);
    const results = bench.session.context.items.flatMap(({ message: { parts } }) =>
      parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])),
    );
    expect(results).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
  });

  test('get their results in order, even if the last ended first', async () => {
    const gate = Promise.withResolvers<void>();
    const first = toolOf({ name: 'first', access: reads, run: async () => gate.promise.then(() => says('slow')) });
    const second = toolOf({
      name: 'second',
      access: reads,
      run: async () => {
        gate.resolve();
        return says('quick');
      },
    });
    const bench = await begin({
      script: [{ toolCalls: [{ name: 'first' }, { name: 'second' }] }, { text: 'Done.' }],
      tools: [first, second],
    });
    await run(bench);
    expect(JSON.stringify(bench.model.requests[1]?.items.slice(2).map(({ parts }) => parts))).toMatch(/slow.*quick/);
  });

  test.each([
    ['of a tool that nobody knows', { name: 'fly' }, 'Unknown tool "fly". Available tools: '],
    ['with arguments that are no JSON', { name: 'look', arguments: '{"a": ' }, 'not a JSON object'],
    ['with arguments that are a list', { name: 'look', arguments: '[]' }, 'not a JSON object'],
    ['of a tool that throws', { name: 'throws' }, 'It failed: broken'],
    ['of a tool that gives back nonsense', { name: 'nonsense' }, 'invalid result'],
    ['of a tool that gives back words that are none', { name: 'wordless' }, 'invalid result'],
    [
      'of a tool that cannot say what it touches',
      { name: 'unsure' },
      'what it would access could not be determined: unclear',
    ],
  ])('%s get an error that the model can read', async (_, call, words) => {
    const odd = [
      ...tools,
      toolOf({ name: 'throws', run: async () => Promise.reject(new Error('broken')) }),
      toolOf({ name: 'nonsense', run: async () => 'text' as never }),
      toolOf({ name: 'wordless', run: async () => ({ content: [{ type: 'text', text: 5 }] }) as never }),
      toolOf({
        name: 'unsure',
        access: () => {
          throw new Error('unclear');
        },
      }),
    ];
    const bench = await begin({ script: [{ toolCalls: [call] }, { text: 'I see.' }], tools: odd });
    const events = await run(bench);
    expect(lastText(bench, 1)).toContain(JSON.stringify(words).slice(1, -1));
    expect(lastText(bench, 1)).toContain('"isError":true');
    expect(endOf(events).reason).toBe('done');
  });

  test('of a tool with too much output are cut in the middle', async () => {
    const flood = toolOf({ name: 'look', run: async () => says(`first${'x'.repeat(3_000_000)}last`) });
    const bench = await begin({ script: [{ toolCalls: [look] }, { text: 'I see.' }], tools: [flood] });
    const reported = (await run(bench)).find(({ type }) => type === 'tool_end');
    const words = reported?.type === 'tool_end' ? reported.text : '';
    expect(words.length).toBeLessThan(1_001_000);
    expect(words).toMatch(/^first.*2000009 of 3000009 characters left out.*last$/s);
  });

  test('with names that a terminal would interpret are shown as plain text', async () => {
    const bench = await begin({ script: [{ toolCalls: [{ name: 'x\u001b[2J' }] }, { text: 'I see.' }], tools });
    expect((await run(bench)).find(({ type }) => type === 'tool_start')).toMatchObject({ summary: 'x␛[2J' });
  });

  test('without arguments are treated as calls with no arguments', async () => {
    const bench = await begin({ script: [{ toolCalls: [{ name: 'look', arguments: '' }] }, { text: 'Done.' }], tools });
    expect((await run(bench)).find(({ type }) => type === 'tool_end')).toMatchObject({ isError: false });
  });

  test('with the id of another call get a new one', async () => {
    const script = [
      {
        toolCalls: [
          { ...look, id: 'a' },
          { ...look, id: 'a' },
        ],
      },
      { toolCalls: [{ ...look, id: 'a' }] },
      { text: 'Done.' },
    ];
    const bench = await begin({ script, tools });
    const events = await run(bench);
    expect(events.flatMap((event) => (event.type === 'tool_end' ? [event.callId] : []))).toEqual(['a', 'a_2', 'a_3']);
  });

  test('that are not allowed do not run, and the model gets the reason', async () => {
    let runs = 0;
    const write = toolOf({ name: 'write', access: writes, run: async () => says(String(++runs)) });
    const bench = await begin({
      script: [{ toolCalls: [{ name: 'write' }] }, { text: 'Then not.' }],
      tools: [write],
      permissions: { decide: async () => ({ allowed: false, why: 'not today.' }) },
    });
    const events = await run(bench);
    expect(runs).toBe(0);
    expect(lastText(bench, 1)).toContain('not today.');
    expect(events).toContainEqual({
      type: 'permission',
      request: expect.objectContaining({ tool: 'write', access: writes }),
    });
  });
});
