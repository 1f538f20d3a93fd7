import { describe, expect, test, vi } from 'vitest';
import type { Message } from '../../message/index.ts';
import type { EngineSession } from '../engine-session.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { answer, call, result, say } from '../fixtures/messages.ts';
import { slowSummarizer } from '../fixtures/slow-summarizer.ts';
import { long } from '../fixtures/talk.ts';
import { createPolicy, presets } from '../policy/presets.ts';

const model = modelOf({ window: 20_000 });

/** Turns of about 1,200 tokens each, of which the provider reports what we count: 12 of them nearly fill the window. */
async function talk(of: { readonly session: EngineSession; readonly turns: number; readonly from?: number }) {
  const { session, turns, from = 0 } = of;
  for (let turn = from; turn < from + turns; turn += 1) {
    await asked({ session, messages: [say(`question ${turn}`)] });
    await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
  }
}

/** The same as tool rounds in one turn. */
async function work({ session, rounds }: { readonly session: EngineSession; readonly rounds: number }): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await called({ session, round });
    await asked({ session, messages: [] });
  }
}

async function called({ session, round }: { readonly session: EngineSession; readonly round: number }): Promise<void> {
  const id = `call-${session.session.head.last}`;
  await session.append({ type: 'message', message: call(id) });
  await session.append({ type: 'message', message: result(id, long(`result ${round}`)) });
}

async function asked({ session, messages }: { readonly session: EngineSession; readonly messages: Message[] }) {
  const { tokens } = await session.prepare({ model, turn: { messages } });
  await session.report({ usage: { input: tokens } });
}

const triggersOf = async (session: EngineSession) =>
  (await session.session.read({ types: ['compaction'] })).map((entry) =>
    entry.type === 'compaction' ? [entry.trigger, (entry.details as { rung?: string }).rung] : [],
  );

async function beginSlow(input: Partial<Parameters<typeof begin>[0]> & { readonly isDeaf?: boolean } = {}) {
  const summarizer = slowSummarizer(input);
  const { session, ...rest } = await begin({ ...input, summarizer });
  const reported: string[] = [];
  for (const name of ['jobStart', 'jobSettled', 'jobInstalled', 'jobDropped'] as const) {
    session.on(name, (event) => reported.push('outcome' in event ? `${name} ${event.outcome}` : name));
  }
  return { session, summarizer, reported, ...rest };
}

describe('promise 8: with a model that summarizes', () => {
  test('it starts early, no request waits, and its summary is installed between two turns', async () => {
    const { session, summarizer, reported } = await beginSlow();
    await talk({ session, turns: 11 });
    expect([session.job.state, summarizer.asked.length]).toEqual(['running', 1]);
    expect(summarizer.asked[0]).toMatchObject({ trigger: 'background', live: { model: { id: model.id } } });
    await summarizer.answer();
    expect([session.job.state, await triggersOf(session)]).toEqual(['ready', []]);
    await talk({ session, turns: 1, from: 11 });
    expect(await triggersOf(session)).toEqual([['background', 'model']]);
    expect(reported).toEqual(['jobStart', 'jobSettled done', 'jobInstalled']);
    expect(JSON.stringify(session.context.items)).toContain('NARRATIVE');
    // What came while it was made, and since, stays as it was.
    expect(JSON.stringify(session.context.items)).toContain('answer 10 lorem');
  });

  test('in the middle of a turn it waits for the end of it (cc#10948)', async () => {
    const { session, summarizer } = await beginSlow();
    await asked({ session, messages: [say('go')] });
    await work({ session, rounds: 10 });
    await summarizer.answer();
    await work({ session, rounds: 1 });
    expect([session.job.state, await triggersOf(session)]).toEqual(['ready', []]);
    await session.append({ type: 'message', message: answer('done') });
    await asked({ session, messages: [say('next')] });
    expect(await triggersOf(session)).toEqual([['background', 'model']]);
  });

  test('where the window is full before it answers, one is made without it, and its words are kept for the next', async () => {
    const { session, summarizer, reported } = await beginSlow();
    await talk({ session, turns: 16 });
    expect(await triggersOf(session)).toEqual([['budget', 'extractive']]);
    expect(summarizer.asked[0]?.signal?.aborted).toBe(false);
    await summarizer.answer('LATE WORDS');
    expect(reported).toEqual(['jobStart', 'jobDropped', 'jobSettled late']);
    await talk({ session, turns: 5, from: 16 });
    expect(summarizer.asked[1]?.previous).toMatchObject({
      narrative: { sections: { overview: 'LATE WORDS' } },
      isSent: false,
    });
  });

  test('one that never answers is asked once at a time, however often the window fills', async () => {
    const { session, summarizer, clock } = await beginSlow();
    await talk({ session, turns: 60 });
    expect(summarizer.asked).toHaveLength(1);
    expect((await triggersOf(session)).length).toBeGreaterThan(3);
    // It is given up, and not asked again at once.
    await clock.advance(presets.longhaul.summarize.timeout);
    expect(summarizer.asked[0]?.signal?.aborted).toBe(true);
    await vi.waitFor(() => expect(session.job.isLate).toBeUndefined(), { timeout: 30_000 });
    await clock.advance(30_000);
    await talk({ session, turns: 12, from: 60 });
    expect(summarizer.asked).toHaveLength(2);
  });

  test.each([
    ['compacted', (session: EngineSession) => session.compact({ model, to: session.context.items[9]?.entry ?? '' })],
    ['moved', (session: EngineSession) => session.session.rewind({ to: session.context.items[3]?.entry ?? null })],
  ])('cc#14176: what was %s meanwhile makes its answer worthless', async (_, happen) => {
    const { session, summarizer } = await beginSlow({ isDeaf: true });
    await talk({ session, turns: 11 });
    const happening = happen(session);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await summarizer.answer('STALE');
    await summarizer.answer('BY HAND');
    await happening;
    await talk({ session, turns: 3, from: 11 });
    expect(JSON.stringify(session.context.items)).not.toContain('STALE');
  });

  test('undo calls it off, and holds', async () => {
    const { session, summarizer, reported } = await beginSlow();
    await talk({ session, turns: 11 });
    await summarizer.answer();
    await talk({ session, turns: 1, from: 11 });
    await session.undo();
    expect(session.job.state).toBe('idle');
    await asked({ session, messages: [say('and now?')] });
    expect(session.job.state).toBe('idle');
    expect(reported.filter((name) => name === 'jobStart')).toHaveLength(1);
  });

  test('an undo that finds nothing to undo leaves it running, and so does a move to where one is', async () => {
    const { session, summarizer } = await beginSlow();
    await talk({ session, turns: 11 });
    await expect(session.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
    await session.move({ to: session.session.head.leaf });
    expect([session.job.state, summarizer.asked[0]?.signal?.aborted]).toEqual(['running', false]);
  });

  test('editor.md 2.2: another model calls it off', async () => {
    const { session, summarizer } = await beginSlow();
    await talk({ session, turns: 11 });
    await session.prepare({ model: modelOf({ window: 100_000, name: 'other' }), turn: { messages: [say('you?')] } });
    expect([session.job.state, summarizer.asked[0]?.signal?.aborted]).toEqual(['idle', true]);
  });

  test('cli#4663: one that fails is not asked again at once, and the work goes on', async () => {
    const { session, summarizer, clock } = await beginSlow();
    await talk({ session, turns: 11 });
    await summarizer.fail();
    await vi.waitFor(() => expect(session.job.state).toBe('ready'), { timeout: 30_000 });
    await talk({ session, turns: 20, from: 11 });
    expect(summarizer.asked.length).toBe(1);
    await clock.advance(30_000);
    await talk({ session, turns: 8, from: 31 });
    expect(summarizer.asked.length).toBe(2);
  });

  test('a session that is closed calls it off, begins no other, and ends its events', async () => {
    const { session, summarizer, reported } = await beginSlow();
    const heard = Array.fromAsync(session.events(), ({ type }) => type);
    await talk({ session, turns: 11 });
    await session.close();
    expect([session.job.state, summarizer.asked[0]?.signal?.aborted]).toEqual(['idle', true]);
    expect((await heard).slice(-2)).toEqual(['jobDropped', 'jobSettled']);
    expect(reported).toEqual(['jobStart', 'jobDropped', 'jobSettled cancelled']);
    await talk({ session, turns: 3, from: 11 });
    expect([session.job.state, summarizer.asked.length, reported.length]).toEqual(['idle', 1, 3]);
    await session.close();
  });

  test('it can be called off by hand', async () => {
    const { session, summarizer } = await beginSlow();
    expect(session.cancelJob()).toBe(false);
    await talk({ session, turns: 11 });
    expect([session.cancelJob(), summarizer.asked[0]?.signal?.aborted]).toEqual([true, true]);
  });
});

describe('the cost of a summary that is not installed is reported once and logged', () => {
  const usage = { input: 900, output: 90, cacheRead: 0, cacheWrite: 0 };
  const paid = { strategy: 'fork', outcome: 'empty', usage, cost: 0.25, ms: 1 };
  const stored = { rung: 'fork', outcome: 'empty', usage, cost: 0.25, ms: 1 };

  async function paying(input: Parameters<typeof beginSlow>[0] = {}) {
    const begun = await beginSlow(input);
    const { session, summarizer } = begun;
    const ends: unknown[] = [];
    session.on('jobSettled', ({ outcome, usage: spent, cost }) => ends.push({ outcome, usage: spent, cost }));
    const noted = async () =>
      (await session.session.read({ types: ['summary_job'] })).flatMap((entry) =>
        entry.type === 'summary_job' && !entry.narrative ? [{ job: entry.job, attempts: entry.attempts }] : [],
      );
    const pay = () => summarizer.asked[0]?.onAttempt?.(paid);
    return { ...begun, ends, noted, pay };
  }

  test('where it was called off', async () => {
    const { session, ends, noted, pay } = await paying();
    await talk({ session, turns: 11 });
    pay();
    session.cancelJob();
    session.cancelJob();
    expect(ends).toEqual([{ outcome: 'cancelled', usage, cost: 0.25 }]);
    await vi.waitFor(async () => expect(await noted()).toEqual([{ job: 1, attempts: [stored] }]));
  });

  test('where it came too late and without words of a model', async () => {
    const { session, summarizer, ends, noted, pay } = await paying();
    await talk({ session, turns: 16 });
    pay();
    expect(ends).toEqual([]);
    await summarizer.fail();
    await vi.waitFor(async () => expect(await noted()).toMatchObject([{ job: 1, attempts: [stored, {}] }]));
    expect(ends).toEqual([{ outcome: 'late', usage, cost: 0.25 }]);
  });

  test('where it would have freed too little', async () => {
    const when = { start: { warm: [0.1, 0.1], cold: [0.1, 0.1] }, leastMessages: 2 } as const;
    const policy = createPolicy({ when, keep: { rounds: 1 } });
    const { session, summarizer, ends, noted, pay } = await paying({ policy });
    await talk({ session, turns: 3 });
    pay();
    await summarizer.answer();
    expect(ends).toEqual([{ outcome: 'failed', usage, cost: 0.25 }]);
    await vi.waitFor(async () => expect(await noted()).toMatchObject([{ job: 1, attempts: [stored, {}] }]));
  });

  test.each([
    ['it was called off', (session: EngineSession) => session.cancelJob()],
    ['somebody compacted by hand', (session: EngineSession) => session.compact({ model }).catch(() => undefined)],
  ])('where it was ready, and then %s', async (_, happen) => {
    const { session, summarizer, ends, noted, pay } = await paying();
    await talk({ session, turns: 11 });
    pay();
    await summarizer.answer();
    void happen(session);
    await vi.waitFor(async () => expect(await noted()).toMatchObject([{ job: 1, attempts: [stored, {}] }]));
    expect(ends).toEqual([{ outcome: 'done', usage, cost: 0.25 }]);
  });

  test('where what came meanwhile left no room for it', async () => {
    const { session, summarizer, noted, pay, clock } = await paying({ policy: presets.cli });
    await talk({ session, turns: 13 });
    pay();
    const waiting = session.prepare({ model, turn: { messages: [say('x'.repeat(18_500))] } });
    await clock.advance(200_000);
    await summarizer.answer();
    await waiting;
    await vi.waitFor(async () => expect(await noted()).toMatchObject([{ job: 1, attempts: [stored, {}] }]));
  });
});

describe('policies that wait', () => {
  test('pi waits for its summary between tool rounds, up to its time, and then goes on without', async () => {
    const { session, summarizer, clock } = await beginSlow({
      policy: createPolicy({ base: presets.pi, when: { mayWait: 1_000 }, keep: { tokens: 4_000 } }),
    });
    await asked({ session, messages: [say('go')] });
    await work({ session, rounds: 11 });
    await called({ session, round: 11 });
    const waiting = session.prepare({ model });
    await clock.advance(999);
    expect([session.job.state, summarizer.asked.length]).toEqual(['running', 1]);
    await clock.advance(1);
    expect((await waiting).report.compaction).toMatchObject({ installed: true, strategy: 'extractive' });
  });

  test('cli waits where the buffer is exhausted, and installs what it waited for', async () => {
    const { session, summarizer, clock } = await beginSlow({ policy: presets.cli });
    await talk({ session, turns: 13 });
    expect(session.job.state).toBe('running');
    const waiting = session.prepare({ model, turn: { messages: [say('go on '.repeat(100))] } });
    await clock.advance(60_000);
    await summarizer.answer();
    expect((await waiting).report.compaction).toMatchObject({ installed: true, strategy: 'model' });
  });

  test('editor.md 2.2: a request waits once: where what it waited for is of no use, the next one is made without a model', async () => {
    const { session, summarizer, reported, clock } = await beginSlow({ policy: presets.cli });
    await talk({ session, turns: 13 });
    const waiting = session.prepare({ model, turn: { messages: [say('x'.repeat(18_500))] } });
    await clock.advance(200_000);
    await summarizer.answer();
    expect((await waiting).report.compaction).toMatchObject({ installed: true, strategy: 'extractive' });
    expect(reported).toEqual(['jobStart', 'jobSettled done', 'jobDropped']);
    expect(summarizer.asked).toHaveLength(1);
  });

  test('a waiting request can be aborted', async () => {
    const { session, clock } = await beginSlow({ policy: presets.pi });
    await asked({ session, messages: [say('go')] });
    await work({ session, rounds: 11 });
    await called({ session, round: 11 });
    const stop = new AbortController();
    const waiting = session.prepare({ model, signal: stop.signal });
    await clock.advance(10);
    stop.abort(new Error('never mind'));
    await expect(waiting).rejects.toThrow('never mind');
  });
});

test('D6: before a smaller model is spoken to, the old one is asked', async () => {
  const { session, summarizer, clock } = await beginSlow({ policy: presets.chat });
  await talk({ session, turns: 5 });
  const small = modelOf({ window: 5_000, name: 'small' });
  expect(await session.preflight({ model: small })).toMatchObject({ fits: false });
  const waiting = session.prepare({ model: small, turn: { messages: [say('you?')] } });
  await clock.advance(10);
  expect(summarizer.asked.at(-1)).toMatchObject({ trigger: 'model-switch', live: { model: { id: model.id } } });
  await summarizer.answer();
  expect((await waiting).report.compaction).toMatchObject({
    installed: true,
    trigger: 'model-switch',
    strategy: 'model',
  });
});

describe('what changed while a summary was made', () => {
  test('a rule pinned meanwhile is in it, an unpinned one is not, and no model is called again', async () => {
    const { session, summarizer } = await beginSlow();
    const { id } = await session.pin({ text: 'Never push on Fridays.' });
    await session.state({ plan: 'the old plan' });
    await talk({ session, turns: 11 });
    await session.pin({ text: 'Always sign commits.' });
    await session.pin({ removes: id });
    await session.state({ plan: 'the new plan' });
    await summarizer.answer();
    await talk({ session, turns: 1, from: 11 });
    expect(await triggersOf(session)).toEqual([['background', 'model']]);
    const sent = JSON.stringify(session.context.items);
    expect(
      ['Always sign commits.', 'Never push on Fridays.', 'new plan', 'old plan'].map((text) => sent.includes(text)),
    ).toEqual([true, false, true, false]);
    expect(sent).toContain('NARRATIVE');
    expect(summarizer.asked.length).toBe(1);
  });

  test('what a model wrote in a compaction that was taken back is no base for the next one', async () => {
    const { session, summarizer } = await beginSlow();
    await talk({ session, turns: 5 });
    const first = session.compact({ model });
    await vi.waitFor(() => expect(summarizer.asked.length).toBe(1));
    await summarizer.answer('WRONG WORDS');
    expect(await first).toMatchObject({ installed: true });
    await session.undo();
    const second = session.compact({ model });
    await vi.waitFor(() => expect(summarizer.asked.length).toBe(2));
    expect(summarizer.asked[1]?.previous).toBeUndefined();
    await summarizer.answer('RIGHT WORDS');
    await second;
    await talk({ session, turns: 4, from: 5 });
    const third = session.preview({ model });
    await vi.waitFor(() => expect(summarizer.asked.length).toBe(3));
    expect(summarizer.asked[2]?.previous?.narrative.sections.overview).toBe('RIGHT WORDS');
    await summarizer.answer();
    await third;
  });
});

test('promise 8: under memory pressure no request waits for a model', async () => {
  const { session, summarizer } = await beginSlow();
  await talk({ session, turns: 8 });
  expect(await session.compact({ model, trigger: 'memory' })).toMatchObject({
    installed: true,
    strategy: 'extractive',
  });
  expect(summarizer.asked).toEqual([]);
});
