import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../testing/index.ts';
import type { AgentEvent } from '../event.ts';
import { all, begin, endOf, names } from '../fixtures/agent.ts';
import { reads, says, toolOf, writes } from '../fixtures/tools.ts';
import type { ToolRun } from '../tool.ts';

const text = (value: unknown) => JSON.stringify(value);

describe('messages while an agent works', () => {
  test('steered messages are sent at the next boundary between tools, before the next request', async () => {
    const { agent, model } = await begin({
      script: [{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }],
      tools: [toolOf({ name: 'look', run: async () => agent.steer('Rather the other one.').then(() => says('seen')) })],
    });
    const events = await all(agent.run({ prompt: 'Look.' }));
    expect(model.requests[1]?.items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(model.requests[1]?.items.at(-1)?.parts).toEqual([
      { type: 'text', origin: 'human', text: 'Rather the other one.' },
    ]);
    expect(events).toContainEqual({ type: 'said', how: 'steered', text: 'Rather the other one.' });
  });

  test('steered messages during the last answer keep the run going', async () => {
    const bench = await begin({ script: [{ text: 'All done.' }, { text: 'Also that.' }] });
    const reported: AgentEvent[] = [];
    for await (const event of bench.agent.run({ prompt: 'Go.' })) {
      reported.push(event);
      if (event.type === 'turn_start' && event.turn === 1) await bench.agent.steer('And that?');
    }
    expect(endOf(reported)).toMatchObject({ reason: 'done', text: 'Also that.' });
  });

  test('queued messages are sent one after the other when the run would end', async () => {
    const { agent, model } = await begin({
      script: [{ toolCalls: [{ name: 'look' }] }, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      tools: [toolOf({ name: 'look' })],
    });
    const events = agent.run({ prompt: 'First.' });
    await agent.queue('Second.');
    await agent.queue('Third.');
    const reported = await all(events);
    expect(reported.flatMap((event) => (event.type === 'said' ? [event.text] : []))).toEqual([
      'First.',
      'Second.',
      'Third.',
    ]);
    expect(text(model.requests[1]?.items)).not.toContain('Second.');
    expect(endOf(reported)).toMatchObject({ text: 'Three.', turns: 4 });
  });

  test('for an idle agent wait for its next run, in this process or another', async () => {
    const { agent, store, session } = await begin();
    await agent.queue('Later.');
    expect((await agent.pending()).messages).toMatchObject([{ how: 'queued' }]);
    const other = await begin({ store, id: session.id });
    const reported = await all(other.agent.run());
    expect(reported).toContainEqual({ type: 'said', how: 'queued', text: 'Later.' });
    expect((await other.agent.pending()).messages).toEqual([]);
  });

  test('can be withdrawn, and are not sent then', async () => {
    const { agent, store, session } = await begin();
    await agent.steer('No, wait.');
    expect(await agent.withdraw()).toMatchObject([{ how: 'steered' }]);
    expect((await (await begin({ store, id: session.id })).agent.pending()).messages).toEqual([]);
    expect(endOf(await all(agent.run()))).toMatchObject({ reason: 'done', turns: 0 });
  });

  test('one run at a time', async () => {
    const { agent } = await begin();
    const events = agent.run({ prompt: 'Go.' });
    expect(() => agent.run({ prompt: 'Go.' })).toThrow('already running');
    await all(events);
    await agent.close();
    expect(() => agent.run()).toThrow('closed');
  });

  test('a prompt with a key is sent once, however often it is tried', async () => {
    const { agent, session } = await begin({ script: [{ failure: 'quota' }, { text: 'Now.' }] });
    await all(agent.run({ prompt: 'Go.', key: 'k' }));
    expect(endOf(await all(agent.run({ prompt: 'Go.', key: 'k' })))).toMatchObject({ reason: 'done', text: 'Now.' });
    expect(session.context.items.filter(({ message }) => message.role === 'user')).toHaveLength(1);
  });
});

describe('an aborted run', () => {
  const hangs = (started: () => void) =>
    toolOf({
      name: 'hang',
      access: reads,
      run: ({ signal }: ToolRun) => {
        const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        started();
        return ended;
      },
    });

  test('during tools leaves a result for every call, immediately', async () => {
    const { agent, session } = await begin({
      script: [{ toolCalls: [{ name: 'hang' }, { name: 'write' }] }],
      tools: [hangs(() => agent.abort()), toolOf({ name: 'write', access: writes })],
    });
    const events = await all(agent.run({ prompt: 'Go.' }));
    expect(endOf(events).reason).toBe('aborted');
    const results = session.context.items.slice(-2).map(({ message }) => text(message));
    expect(results[0]).toContain('stopped it while it ran');
    expect(results[1]).toContain('It was not run');
    expect((await agent.pending()).calls).toEqual([]);
  });

  test('does not wait for a tool that never ends', async () => {
    const { agent, clock } = await begin({
      script: [{ toolCalls: [{ name: 'deaf' }] }],
      tools: [
        toolOf({
          name: 'deaf',
          run: () => {
            queueMicrotask(() => agent.abort());
            return new Promise(() => undefined);
          },
        }),
      ],
    });
    const events = all(agent.run({ prompt: 'Go.' }));
    await clock.advance(2_000);
    await clock.advance(2_000);
    expect(text(await events)).toContain('it did not end');
  });

  test('does not wait for a stream that never ends, and keeps its text', async () => {
    const model = scriptedModel({ script: [] });
    const deaf = {
      ...model,
      async *stream() {
        yield { type: 'text' as const, delta: 'So far' };
        await new Promise(() => undefined);
      },
    };
    const { agent, clock, session } = await begin({ model: deaf });
    const reported: string[] = [];
    for await (const event of agent.run({ prompt: 'Go.' })) {
      reported.push(event.type);
      if (event.type !== 'text') continue;
      agent.abort();
      void clock.advance(2_000);
    }
    expect(reported.at(-1)).toBe('run_end');
    expect(session.context.items.at(-1)?.message.parts).toEqual([{ type: 'text', origin: 'model', text: 'So far' }]);
  });

  test('during an answer keeps its text, and only notes unfinished calls', async () => {
    const { agent, session } = await begin({
      script: [{ text: 'I will now write it.', toolCalls: [{ name: 'write' }] }],
      tools: [toolOf({ name: 'write', access: writes })],
    });
    for await (const event of agent.run({ prompt: 'Go.' })) if (event.type === 'text') agent.abort();
    expect(session.context.items.at(-1)?.message).toMatchObject({ role: 'assistant', parts: [{ type: 'text' }] });
  });

  test('during an answer is unfinished work: a run without a prompt asks the model to continue', async () => {
    const scripted = scriptedModel({ script: [{ text: 'second half.' }] });
    let isFirst = true;
    const model: typeof scripted = {
      ...scripted,
      async *stream(request) {
        if (!isFirst) return yield* scripted.stream(request);
        isFirst = false;
        yield { type: 'text', delta: 'First half,' };
        const message = { role: 'assistant' as const, parts: [part('First half,')] };
        yield { type: 'end', reason: 'aborted', message };
      },
    };
    const part = (said: string) => ({ type: 'text' as const, origin: 'model' as const, text: said });
    const { agent } = await begin({ model });
    for await (const event of agent.run({ prompt: 'Go.' })) if (event.type === 'text') agent.abort();
    expect(await agent.pending()).toMatchObject({ needsAnswer: true });
    expect(endOf(await all(agent.run()))).toMatchObject({ reason: 'done', text: 'second half.' });
    expect(text(model.requests.at(-1)?.items ?? [])).toMatch(/First half,.*Continue exactly where the text stopped/s);
    expect(await agent.pending()).toMatchObject({ needsAnswer: false });
  });

  test('during a retry delay ends immediately', async () => {
    const { agent } = await begin({ script: [{ failure: 'rate' }] });
    const reported: AgentEvent[] = [];
    for await (const event of agent.run({ prompt: 'Go.' })) {
      reported.push(event);
      if (event.type === 'retry') agent.abort();
    }
    expect(endOf(reported).reason).toBe('aborted');
  });

  test('when the reader stops', async () => {
    const { agent, session } = await begin({
      script: [{ toolCalls: [{ name: 'look' }] }, { text: 'never' }],
      tools: [toolOf({ name: 'look' })],
    });
    for await (const { type } of agent.run({ prompt: 'Go.' })) if (type === 'tool_start') break;
    expect(agent.state).toBe('idle');
    expect(session.context.items.at(-1)?.message.role).toBe('tool');
  });
});

describe('interrupted work', () => {
  const tools = [
    toolOf({ name: 'read', access: reads, run: async () => says('read again') }),
    toolOf({ name: 'write', access: writes }),
  ];
  const calls = (...called: string[]) => ({
    role: 'assistant' as const,
    parts: called.map((name, index) => ({
      type: 'tool_call' as const,
      origin: 'model' as const,
      id: `c${index}`,
      name,
      arguments: '{}',
    })),
  });
  const half = async (started: readonly string[]) => {
    const bench = await begin();
    const ask = { role: 'user' as const, parts: [{ type: 'text' as const, origin: 'human' as const, text: 'Go.' }] };
    await bench.session.append({ type: 'message', message: ask });
    await bench.session.append({ type: 'message', message: calls('write', 'read', 'write') });
    for (const call of started) await bench.session.append({ type: 'tool_started', call });
    return await begin({ store: bench.store, id: bench.session.id, tools, script: [{ text: 'Going on.' }] });
  };

  test('continues: reads are repeated, writes never, and the model is informed what may have happened', async () => {
    const { agent, model } = await half(['c0']);
    expect((await agent.pending()).calls.map(({ interrupted }) => interrupted)).toEqual([
      'started',
      'unstarted',
      'unstarted',
    ]);
    const events = await all(agent.run());
    expect(events[0]).toMatchObject({ type: 'run_start', resumed: true });
    const results = model.requests[0]?.items.slice(-3).map((item) => text(item));
    expect(results?.[0]).toContain('It may have taken effect');
    expect(results?.[1]).toContain('read again');
    expect(results?.[2]).toContain('It had no effect');
    expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Going on.' });
  });

  test('is abandoned after a new message: nothing is repeated', async () => {
    const { agent, model } = await half([]);
    await all(agent.run({ prompt: 'Something else.' }));
    expect(text(model.requests[0]?.items)).not.toContain('read again');
    expect(model.requests[0]?.items.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'user',
    ]);
  });

  test('an unanswered prompt is sent again', async () => {
    const first = await begin({ script: [{ text: 'Half an ans', failure: 'quota' }] });
    await all(first.agent.run({ prompt: 'What is it?' }));
    const { partial, needsAnswer: isAsked } = await first.agent.pending();
    expect(isAsked).toBe(true);
    expect(partial?.parts).toMatchObject([{ text: 'Half an ans' }]);
    const { agent, model } = await begin({ store: first.store, id: first.session.id });
    expect(endOf(await all(agent.run())).reason).toBe('done');
    expect(model.requests[0]?.items).toHaveLength(1);
  });

  test.each([
    ['paused', 'anthropic', ['user', 'assistant']],
    ['paused', 'openai-chat', ['user', 'assistant', 'user']],
    ['length', 'anthropic', ['user', 'assistant', 'user']],
  ] as const)('an unfinished answer (%s, %s) is continued', async (reason, dialect, sent) => {
    const first = await begin({ maxTurns: 1, script: [{ text: 'Half', reason }] });
    await all(first.agent.run({ prompt: 'Go.' }));
    const model = scriptedModel({ dialect, script: [{ text: 'the other half.' }] });
    const second = await begin({ store: first.store, id: first.session.id, model });
    expect((await second.agent.pending()).needsAnswer).toBe(true);
    expect(endOf(await all(second.agent.run()))).toMatchObject({ reason: 'done', text: 'the other half.' });
    expect(model.requests[0]?.items.map(({ role }) => role)).toEqual(sent);
    expect((await second.agent.pending()).needsAnswer).toBe(false);
  });

  test('a summary at the end needs no answer', async () => {
    const answer = { text: 'Looking. '.repeat(90), toolCalls: [{ name: 'look' }] };
    const { agent, session, model } = await begin({
      script: [...Array.from({ length: 12 }, () => answer), { text: 'Done.' }],
      tools: [toolOf({ name: 'look' })],
      policy: 'cli',
    });
    await all(agent.run({ prompt: 'Go.' }));
    const { installed } = await session.compact({ model });
    expect([installed, session.context.items.at(-1)?.entry]).toEqual([true, null]);
    expect((await agent.pending()).needsAnswer).toBe(false);
    expect(names(await all(agent.run()))).toEqual(['run_start', 'notice', 'run_end']);
  });

  test('without any, nothing is sent', async () => {
    const { agent, model } = await begin();
    expect(names(await all(agent.run()))).toEqual(['run_start', 'notice', 'run_end']);
    expect(model.requests).toHaveLength(0);
  });
});
