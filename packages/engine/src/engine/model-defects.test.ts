import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import type { Model, ModelRequest } from '../models/index.ts';
import { judge } from '../testing/index.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say } from './fixtures/messages.ts';
import { puppetSummarizer } from './fixtures/puppet-summarizer.ts';
import { bodyOf } from './fixtures/send.ts';
import { long, talk } from './fixtures/talk.ts';
import { beginWithModel, usage, written } from './fixtures/with-model.ts';
import { createPolicy, presets } from './policy/presets.ts';

const model = modelOf({ window: 10_000 });
const wide = modelOf({ window: 60_000 });

/** Rounds of a call and a long result, without a word of the user. */
const rounds = (count: number): Message[] =>
  Array.from({ length: count }, (_, at) => [call(`c${at}`), result(`c${at}`, long(`output ${at}`))]).flat();

const tell = (session: EngineSession, messages: readonly Message[]) =>
  session.session.appendBatch(messages.map((message) => ({ type: 'message', message })));

const textOf = (request: ModelRequest | undefined) => JSON.stringify([request?.head, request?.items]);

/** What went wrong in the originals where a model wrote the summary. */
describe('sessions.md 12, with a model that summarizes', () => {
  test.each([
    ['12.1, pi #7048: was cut off', { text: '<summary>\n## Overview\nHALF of', reason: 'length', usage }, 'cut-off'],
    [
      '12.1, pi #9512, #8845: spent its words on thoughts',
      { thinking: 'HALF '.repeat(900), text: '', reason: 'length' },
      'cut-off',
    ],
    ['12.2, pi 6.8, cli#4138: is empty', { text: '<summary> \n</summary>', usage }, 'empty'],
    [
      '12.4, cli#2172: asks the user',
      { toolCalls: [{ name: 'ask_user', arguments: { question: 'HALF?' } }] },
      'calls-tools',
    ],
  ] as const)(
    '%s: such an answer is not stored, and the session goes on, also after a restart',
    async (_, said, outcome) => {
      const { session, again } = await beginWithModel({ script: () => said });
      await talk({ session, turns: 6, model: wide });
      const { strategy, installed, attempts } = await session.compact({ model });
      expect({ strategy, installed }).toEqual({ strategy: 'extractive', installed: true });
      expect(new Set(attempts?.map((attempt) => attempt.outcome))).toEqual(new Set([outcome]));
      expect(JSON.stringify(await session.session.read({ types: ['compaction'] }))).not.toContain('HALF');
      const { items } = await (await again()).prepare({ model, turn: { messages: [say('go on')] } });
      expect(items.at(-1)).toEqual(say('go on'));
    },
  );

  test('12.1, pi #3438, #6464: a summary is asked for with no effort of its own, and what was reported before limits no answer', async () => {
    const optionsAfter = async (reported: object) => {
      const { session, model: writer } = await beginWithModel({ script: () => ({ text: 'no', usage }) });
      await talk({ session, turns: 6, model: wide });
      await session.report({ usage: { input: 9_000, ...reported } });
      await session.compact({ model });
      return writer.requests.map(({ options }) => options);
    };
    const [usual, odd] = [await optionsAfter({}), await optionsAfter({ output: 60_000, cacheRead: 100 })];
    expect(usual.length).toBeGreaterThan(1);
    expect(odd).toEqual(usual);
    for (const options of usual) expect(options).not.toHaveProperty('thinking');
  });

  test('12.1, pi #5536, #1796: what is too large for one request is told in pieces, one after another', async () => {
    let open = 0;
    let most = 0;
    const counted = (inner: Model): Model => ({
      ...inner,
      async *stream(request) {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        try {
          yield* inner.stream(request);
        } finally {
          open -= 1;
        }
      },
    });
    const script = () => written('One piece of it.');
    const { session, model: writer } = await beginWithModel({ script, window: 6_000, instead: counted });
    await session.prepare({ model: modelOf({ window: 200_000 }), turn: { messages: [say('Go through it.')] } });
    await tell(
      session,
      Array.from({ length: 40 }, (_, at) => answer(long(`${at}`))),
    );
    const { strategy, attempts } = await session.compact({ model });
    expect(strategy).toBe('chunked');
    expect(attempts?.filter(({ outcome }) => outcome === 'part').length).toBeGreaterThan(1);
    expect([most, writer.requests.length]).toEqual([
      1,
      attempts?.filter(({ ms, usage: spent }) => ms > 0 || spent).length,
    ]);
  });

  test('12.1, pi #9908, #11058: a cut through a turn takes one request, in which it is said what is to be kept in view', async () => {
    const { session, model: writer } = await beginWithModel({ script: () => written('Well.') });
    await session.prepare({ model: wide, turn: { messages: [say('Go through it.')] } });
    await tell(session, rounds(8));
    const { reason, strategy } = await session.compact({ model, focus: 'the login bug' });
    expect(reason).toContain('The cut goes through a turn');
    expect(strategy).not.toBe('extractive');
    expect(writer.requests).toHaveLength(1);
    expect(textOf(writer.requests[0])).toContain('the login bug');
    expect(textOf(writer.requests[0])).toContain('Go through it.');
  });

  test('12.4, cli#4663: one that always fails is asked less and less, and every call is told', async () => {
    const failure = { kind: 'invalid', message: 'bad request', retryable: false } as const;
    const { session, model: writer, clock } = await beginWithModel({ script: () => ({ failure, usage }) });
    const recorded: (string | undefined)[] = [];
    session.on('jobSettled', ({ strategy, usage: spent }) => void recorded.push(spent && strategy));
    for (let turn = 0; turn < 120; turn += 1) {
      const { tokens } = await session.prepare({ model, turn: { messages: [say(`question ${turn}`)] } });
      await session.report({ usage: { input: tokens } });
      await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
      await clock.advance(10_000);
    }
    const compactions = await session.session.read({ types: ['compaction'] });
    expect(compactions.length).toBeGreaterThan(20);
    // 1,200 s with waits of 30, 60, 120, 240, 480 s in between.
    expect(recorded.length).toBeGreaterThan(2);
    expect(recorded.length).toBeLessThan(8);
    expect(new Set(recorded)).toEqual(new Set(['extractive']));
    expect(writer.requests.length).toBeLessThanOrEqual(recorded.length * 8);
  });

  test('12.4: a summary that is put in between a call and its result parts nothing', async () => {
    const summarizer = puppetSummarizer();
    const { session, clock } = await begin({ summarizer, policy: presets.cli });
    await session.prepare({ model, turn: { messages: [say('go')] } });
    for (let round = 0; session.job.state !== 'running'; round += 1) {
      await tell(session, [call(`a${round}`), result(`a${round}`, long(`${round}`))]);
      const { tokens } = await session.prepare({ model });
      await session.report({ usage: { input: tokens } });
    }
    await session.append({ type: 'message', message: call('b1', 'b2') });
    await session.append({ type: 'message', message: result('b1') });
    summarizer.asked[0]?.settle('well');
    await clock.advance(0);
    for (const late of [[], [result('b2')]]) {
      await tell(session, late);
      const prepared = await session.prepare({ model });
      const body = bodyOf({ prepared, dialect: 'anthropic' });
      expect(judge({ dialect: 'anthropic', body })).toEqual({ legal: true });
    }
    expect(JSON.stringify(session.context.items)).toContain(summarizer.asked[0]?.words);
  });
});

describe('editor.md 2 and 3, with a model that summarizes', () => {
  async function running() {
    const summarizer = puppetSummarizer();
    const begun = await begin({ summarizer });
    const { session } = begun;
    for (let turn = 0; session.job.state !== 'running'; turn += 1) {
      const { tokens } = await session.prepare({ model, turn: { messages: [say(`question ${turn}`)] } });
      await session.report({ usage: { input: tokens } });
      await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
    }
    return { ...begun, summarizer };
  }

  test('2.3: an answer alone changes nothing: neither what is sent nor the log', async () => {
    const { session, summarizer, clock } = await running();
    const { items } = session.context;
    const { last } = session.session.head;
    summarizer.asked[0]?.settle('well');
    await clock.advance(0);
    expect([session.job.state, session.session.head.last]).toEqual(['ready', last]);
    expect(session.context.items).toEqual(items);
  });

  test('2.3: what is called off and begun again does not take the old answer for the new one', async () => {
    const summarizer = puppetSummarizer({ isDeaf: true });
    const { session, clock } = await begin({ summarizer });
    await talk({ session, turns: 5, model: wide });
    const [first, second] = [new AbortController(), new AbortController()];
    const called = session.compact({ model, signal: first.signal });
    await clock.advance(0);
    first.abort(new Error('never mind'));
    await expect(called).rejects.toThrow('never mind');
    const again = session.compact({ model, signal: second.signal });
    await clock.advance(0);
    summarizer.asked[0]?.settle('well');
    await clock.advance(0);
    summarizer.asked[1]?.settle('well');
    const { summary } = await again;
    expect(summary).toContain(summarizer.asked[1]?.words);
    expect(summary).not.toContain(summarizer.asked[0]?.words);
  });

  test('3.2: a conversation whose last turn was never answered is compacted, or it is said why not', async () => {
    const { session } = await beginWithModel({ script: () => written('Well.') });
    await session.prepare({ model, turn: { messages: [say('first')] } });
    expect(await session.compact({ model })).toMatchObject({
      installed: false,
      reason: expect.stringMatching(/nothing/i),
    });
    await talk({ session, turns: 6, model: wide });
    await session.prepare({ model: wide, turn: { messages: [say('unanswered')] } });
    expect(await session.compact({ model })).toMatchObject({ installed: true });
    expect(JSON.stringify(session.context.items)).toContain('unanswered');
  });

  test('3.5: whoever gives up is not answered by the next strategy', async () => {
    const script = () => ({ ...written('Well.'), delayMs: 60_000 });
    const { session, model: writer, clock } = await beginWithModel({ script });
    await talk({ session, turns: 6, model: wide });
    const { last } = session.session.head;
    const stop = new AbortController();
    const compaction = session.compact({ model, signal: stop.signal });
    await clock.advance(1_000);
    stop.abort(new Error('never mind'));
    await expect(compaction).rejects.toThrow('never mind');
    await clock.advance(600_000);
    expect([writer.requests.length, session.session.head.last]).toEqual([1, last]);
  });

  test('3.6: what a model thinks aloud before its summary is not stored', async () => {
    const { session } = await beginWithModel({ script: () => written('The parser is ported.') });
    await talk({ session, turns: 6, model: wide });
    const { summary } = await session.compact({ model });
    expect(summary).toContain('The parser is ported.');
    const log = JSON.stringify(await session.session.read({ types: ['compaction', 'epoch'] }));
    expect(log).not.toContain('Let me think.');
  });

  test('3.7: a summary that was put in in the middle of a turn is there after a crash', async () => {
    const { session, summarizer, clock, again } = await running();
    summarizer.asked[0]?.settle('well');
    await clock.advance(0);
    for (let round = 0; session.job.state === 'ready'; round += 1) {
      await tell(session, [call(`x${round}`), result(`x${round}`, long(`${round}`))]);
      await session.prepare({ model });
    }
    const reopened = await again();
    expect(JSON.stringify(reopened.context.items)).toContain(summarizer.asked[0]?.words);
    expect(reopened.context.items).toEqual(session.context.items);
  });

  test('3.11: by hand it works also where nothing happens by itself', async () => {
    const policy = createPolicy({ base: presets.chat, when: { automatic: false } });
    const { session } = await beginWithModel({ script: () => written('Well.'), policy });
    await talk({ session, turns: 6, model: wide });
    expect(session.job.state).toBe('idle');
    expect(await session.compact({ model })).toMatchObject({ installed: true, trigger: 'manual' });
  });
});
