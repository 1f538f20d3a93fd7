import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LonghaulError } from '../errors.ts';
import type { Message } from '../message/index.ts';
import { createClock, judge } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { letRun } from './fixtures/let-run.ts';
import { answer, call, result, say } from './fixtures/messages.ts';
import { type Puppet, puppetSummarizer, type Way } from './fixtures/puppet-summarizer.ts';
import { bodyOf } from './fixtures/send.ts';
import { createPolicy, type PresetName, presets } from './policy/presets.ts';
import type { Prepared } from './types.ts';

const timeout = 3_600_000;
const step = 5_000;
const window = 8_000;

/** What may happen around a summary that is made beside the work. */
const happening = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({ do: fc.constantFrom('speak', 'work', 'append'), size: fc.integer({ min: 10, max: 900 }) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('settle'),
      at: fc.nat(2),
      way: fc.constantFrom<Way[]>('well', 'well', 'well', 'too-large', 'empty', 'fails'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel', 'undo', 'redo', 'move', 'rewind', 'switch', 'overflow', 'crash', 'pause'),
      at: fc.nat(9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('compact'),
      way: fc.constantFrom<(Way | 'gives-up')[]>('well', 'well', 'fails', 'gives-up'),
      size: fc.integer({ min: 10, max: 900 }),
    }),
  },
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** What may be refused, and why. Everything else is a fault. */
const refusals = new Set(['nothing-to-undo', 'nothing-to-redo', 'not-on-path', 'still-too-long', 'nothing-to-send']);

const overflow = { kind: 'overflow', message: 'too long', retryable: true } as const;

/** What was seen over all cases: a property that had little to check proves nothing. */
const seen = { started: 0, installed: 0, meanwhile: 0, dropped: 0, late: 0, dead: 0 };

test(
  'promise 8: whatever happens while a summary is made, what is late, called off or stale changes nothing, and what came meanwhile stays',
  async () => {
    const share = runs(150);
    await fc.assert(
      fc.asyncProperty(
        ...([fc.array(happening, { minLength: 10, maxLength: 60, size: 'max' }), fc.boolean()] as const),
        fc.constantFrom<PresetName[]>('longhaul', 'longhaul', 'chat', 'cli', 'pi'),
        async (events, isDeaf, preset) => {
          const world = await createWorld({ preset, isDeaf });
          for (let turn = 0; turn < 10; turn += 1) await world.live({ do: 'speak', size: 500 });
          for (const event of events) {
            await world.live(event).catch((error: unknown) => {
              if (!LonghaulError.is(error) || !refusals.has(error.code)) throw error;
            });
            await world.check();
          }
          await world.end();
        },
      ),
      { ...share, endOnFailure: true },
    );
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(share.numRuns / 20);
  },
  timeout,
);

async function createWorld({ preset, isDeaf }: { readonly preset: PresetName; readonly isDeaf: boolean }) {
  const policy = createPolicy({
    base: presets[preset],
    when: { mayWait: Math.min(presets[preset].when.mayWait, 20_000) },
  });
  const clock = createClock();
  let puppet: Puppet = puppetSummarizer({ isDeaf });
  const first = await begin({ policy, clock, summarizer: puppet });
  const { store } = first;
  let session: EngineSession = first.session;
  let model = modelOf({ window });
  const said: string[] = [];
  /** Words that must never be heard again. */
  const dead = new Set<string>();
  /** The job in progress, by its events. */
  let job: { readonly number: number; readonly since: number; isReady: boolean } | undefined;
  let installed: number | undefined;
  let before: { readonly prepared: Prepared; readonly leaf: string | null } | undefined;
  let known = 0;
  follow();
  return { live, check, end };

  /** Each job has one beginning and one end, and there is never more than one. */
  function follow(): void {
    session.on('jobStart', ({ job: number }) => {
      expect(job).toBeUndefined();
      job = { number, since: session.session.head.last, isReady: false };
      seen.started += 1;
    });
    const open = new Set<number>();
    session.on('jobStart', ({ job: number }) => void open.add(number));
    session.on('jobSettled', ({ job: number, outcome }) => {
      expect(open.delete(number)).toBe(true);
      // What was dropped before it was ready ends later.
      if (job?.number !== number) return expect(['late', 'cancelled']).toContain(outcome);
      expect(job).toMatchObject({ number, isReady: false });
      if (outcome === 'done' && job) job.isReady = true;
      else job = undefined;
    });
    session.on('jobInstalled', ({ job: number }) => {
      expect(job).toMatchObject({ number, isReady: true });
      installed = job?.since;
      job = undefined;
      seen.installed += 1;
    });
    session.on('jobDropped', ({ job: number }) => {
      expect(job).toMatchObject({ number });
      job = undefined;
      seen.dropped += 1;
    });
  }

  async function live(event: Happening): Promise<void> {
    if ('way' in event) {
      if (event.do === 'settle') await settle(event as { at: number; way: Way });
      else await compact(event as { way: Way | 'gives-up'; size: number });
    } else if ('size' in event) await talk(event);
    else if (event.do === 'pause') await clock.advance(event.at * 40_000);
    else if (event.do === 'crash') await crash();
    else if (event.do === 'cancel') {
      await bury(async () => void session.cancelJob());
      expect(session.job.state).not.toBe('running');
    } else if (event.do === 'undo') await bury(() => session.undo());
    else if (event.do === 'redo') await bury(() => session.redo());
    else if (event.do === 'overflow') await session.report({ failure: overflow });
    else if (event.do === 'move' || event.do === 'rewind') await go(event);
    else model = modelOf({ window: window + event.at * 1_000, name: `model ${event.at % 3}` });
  }

  /** Elsewhere: with what was left told there, or behind the engine's back. */
  async function go({ do: what, at }: { readonly do: string; readonly at: number }): Promise<void> {
    const to = session.context.items.at(-1 - at)?.entry ?? null;
    if (what === 'rewind') await session.session.rewind({ to });
    else await bury(async () => (await letRun({ work: session.move({ to }), clock, step })).value.moved);
  }

  /** What was being made, or is ready, is of no use after this, where it came about. */
  async function bury(happen: () => Promise<unknown>): Promise<void> {
    const alive = puppet.asked.map(({ words }) => words).filter((words) => !dead.has(words));
    const heard = await summaries();
    if ((await happen()) === false) return;
    for (const words of alive.filter((one) => !heard.some((text) => text.includes(one)))) dead.add(words);
  }

  async function summaries(): Promise<string[]> {
    const entries = await session.session.read({ types: ['compaction'] });
    return entries.flatMap((entry) => (entry.type === 'compaction' ? [entry.summary] : []));
  }

  async function talk({ do: what, size }: { readonly do: string; readonly size: number }): Promise<void> {
    const words = `${session.session.head.last} ${'lorem '.repeat(size / 6)}`;
    said.push(words);
    if (what === 'append') return void (await session.append({ type: 'message', message: answer(words) }));
    if (what === 'speak') {
      await request([say(words)]);
      await session.append({ type: 'message', message: answer('Well.') });
      return;
    }
    const id = `call-${session.session.head.last}`;
    await session.append({ type: 'message', message: call(id) });
    await session.append({ type: 'message', message: result(id, words) });
    await request([]);
  }

  async function request(messages: readonly Message[]): Promise<void> {
    installed = undefined;
    const unheard = puppet.asked.map(({ words }) => words);
    const heard = await summaries();
    const work = session.prepare({ model, turn: { messages } });
    const { value: prepared } = await letRun({ work, clock, ...(policy.when.mayWait > 0 && { step }) });
    const { bound, report, items, epoch } = prepared;
    const reasons = report.opened.map(({ reason }) => reason);
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    expect(reasons.length).toBeLessThanOrEqual(6);
    if (items.some(({ role }) => role === 'user')) {
      const body = bodyOf({ prepared, dialect: 'anthropic' });
      expect(judge({ dialect: 'anthropic', body, options: { allowPrefill: true } })).toEqual({ legal: true });
    }
    const path = await session.session.path();
    const isOnPath = before && (before.leaf === null || path.some(({ id }) => id === before?.leaf));
    if (before && isOnPath && before.prepared.epoch === epoch) {
      expect(items.slice(0, before.prepared.items.length)).toEqual(before.prepared.items);
    }
    before = { prepared, leaf: session.session.head.leaf };
    // Another model, another beginning: what was planned on the old one is of no use.
    if (reasons[0] === 'model')
      for (const words of unheard.filter((one) => !heard.some((text) => text.includes(one)))) dead.add(words);
    if (reasons.join() === 'compaction' && installed !== undefined) await checkMeanwhile(installed);
    await session.report({ usage: { input: prepared.tokens } });
  }

  /** What was said since the summary was begun is sent as it was said. */
  async function checkMeanwhile(since: number): Promise<void> {
    const sent = new Map(session.context.items.map(({ entry, message }) => [entry, message]));
    for (const entry of await session.session.path()) {
      if (entry.type !== 'message' || entry.handle <= since) continue;
      expect(sent.get(entry.id)).toEqual(entry.sent ?? entry.message);
      seen.meanwhile += 1;
    }
  }

  /** An answer alone changes nothing of what is sent; late words are noted at most. */
  async function settle({ at, way }: { readonly at: number; readonly way: Way }): Promise<void> {
    const open = puppet.asked.filter(({ isOpen }) => isOpen);
    const one = open[at % Math.max(1, open.length)];
    if (!one) return;
    const { items } = session.context;
    const { last } = session.session.head;
    const isLate = job === undefined;
    one.settle(way);
    await clock.advance(0);
    await clock.advance(0);
    expect(session.context.items).toEqual(items);
    const added = await session.session.read({ after: last });
    for (const entry of added) expect(entry).toMatchObject({ type: 'summary_job', narrative: expect.anything() });
    if (dead.has(one.words)) expect(added).toEqual([]);
    seen.late += isLate ? 1 : 0;
    seen.dead += dead.has(one.words) ? 1 : 0;
  }

  /** By hand, with something said meanwhile. */
  async function compact({ way, size }: { readonly way: Way | 'gives-up'; readonly size: number }): Promise<void> {
    const stop = new AbortController();
    const open = puppet.asked.length;
    let work: Promise<unknown> = Promise.resolve();
    await bury(async () => {
      work = session.compact({ model, signal: stop.signal }).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      await clock.advance(0);
    });
    const words = `${session.session.head.last} ${'meanwhile '.repeat(size / 10)}`;
    said.push(words);
    await session.append({ type: 'message', message: answer(words) });
    for (const one of puppet.asked.slice(open)) dead.delete(one.words);
    if (way === 'gives-up') stop.abort(new Error('never mind'));
    else for (const one of puppet.asked.slice(open)) one.settle(way);
    await letRun({ work, clock, step });
    if (way === 'gives-up') for (const one of puppet.asked.slice(open)) dead.add(one.words);
    expect(JSON.stringify(session.context.items)).toContain(words);
  }

  /** The process ends in the middle of it all; another one opens the session. */
  async function crash(): Promise<void> {
    for (const { words } of puppet.asked) dead.add(words);
    const heard = await summaries();
    for (const words of [...dead]) if (heard.some((text) => text.includes(words))) dead.delete(words);
    puppet = puppetSummarizer({ isDeaf });
    job = undefined;
    const { items } = session.context;
    session = (await begin({ store, policy, clock, summarizer: puppet, id: session.id })).session;
    expect(session.context.items).toEqual(items);
    follow();
  }

  async function check(): Promise<void> {
    const { state } = session.job;
    expect(state === 'failed' ? 'idle' : state).toBe(job === undefined ? 'idle' : job.isReady ? 'ready' : 'running');
    // The one that is made, or one that came too late and may still be of use.
    const asked = puppet.asked.filter(({ isOpen, input }) => isOpen && !input.signal?.aborted);
    expect(asked.length).toBeLessThanOrEqual(1);
    const made = await session.session.read({ types: ['compaction'], after: known });
    for (const entry of made) {
      for (const words of dead) expect(JSON.stringify(entry)).not.toContain(words);
      known = entry.handle;
    }
  }

  /** The log alone says what is sent, to anybody; and everything that was said is in it. */
  async function end(): Promise<void> {
    const other = await begin({ store, policy, clock, summarizer: puppetSummarizer(), id: session.id });
    expect(other.session.context.items).toEqual(session.context.items);
    const log = JSON.stringify(await session.session.read({ types: ['message'] }));
    for (const words of said) expect(log).toContain(words);
  }
}
