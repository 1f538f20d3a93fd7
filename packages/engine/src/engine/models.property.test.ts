import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dialect, dialects } from '../message/index.ts';
import type { ContextItem } from '../session/index.ts';
import { createModelSummarizer } from '../summarize/model/model-summarizer.ts';
import { characterTokenizer, createClock, judge } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { letRun } from './fixtures/let-run.ts';
import { system } from './fixtures/messages.ts';
import { play } from './fixtures/play.ts';
import { quickSummarizer } from './fixtures/quick-summarizer.ts';
import { bodyOf } from './fixtures/send.ts';
import { type Conduct, conducts, unrulyModel } from './fixtures/unruly-model.ts';
import { messagesIn, type WorkingSession, workingSession } from './fixtures/working-sessions.arbitrary.ts';
import { type PresetName, presets } from './policy/presets.ts';
import type { Prepared, PrepareInput } from './types.ts';

const timeout = 3_600_000;

/** Where a request waits for a model, time passes in such steps. */
const step = 5_000;

interface Case {
  readonly preset: PresetName;
  readonly said: WorkingSession;
  readonly window: number;
  readonly dialect: Dialect;
  /** What the model does, call by call. */
  readonly conduct: readonly Conduct[];
  /** How long the agent works between two requests, in milliseconds. */
  readonly pauses: readonly number[];
  /** How much of the window the system message takes: the more, the less there is to gain. */
  readonly head: number;
  /** Whether the real one stands behind the models; it takes ten times as long as all the rest. */
  readonly isReal: boolean;
}

const good = fc.constantFrom<Conduct[]>('writes', 'writes', 'writes slowly', 'claims an approval');

const cases = (preset: PresetName): fc.Arbitrary<Case> =>
  fc.record({
    preset: fc.constant(preset),
    said: workingSession,
    window: fc.constantFrom(4_000, 4_000, 8_000, 8_000, 24_000, 24_000, 100_000, 1_000_000),
    dialect: fc.constantFrom(...dialects),
    conduct: fc.array(fc.oneof(fc.constantFrom(...conducts), good), { minLength: 1, maxLength: 6 }),
    pauses: fc.array(fc.constantFrom(0, 0, 1_000, 20_000, 400_000), { minLength: 1, maxLength: 6 }),
    head: fc.constantFrom(0, 0, 0.15, 0.28),
    isReal: fc.integer({ min: 0, max: 39 }).map((one) => one === 0),
  });

/** What was seen over all cases: a property that had little to check proves nothing. */
interface Seen {
  byModel: number;
  withoutModel: number;
  undone: number;
  waited: number;
}

test.each(Object.keys(presets) as PresetName[])(
  'promises 1, 2, 3, 4, 5, 7 and 8 with the preset %s, whatever the models do that are asked for summaries',
  async (preset) => {
    const seen: Seen = { byModel: 0, withoutModel: 0, undone: 0, waited: 0 };
    const share = runs(120);
    await fc.assert(
      fc.asyncProperty(cases(preset), (one) => live(one, seen)),
      { ...share, endOnFailure: true },
    );
    const enough = share.numRuns / 20;
    for (const times of [seen.byModel, seen.withoutModel, seen.undone]) expect(times).toBeGreaterThan(enough);
    if (preset === 'longhaul') expect(seen.waited).toBe(0);
    else expect(seen.waited).toBeGreaterThan(enough);
  },
  timeout,
);

async function live(
  { preset, said, window, dialect, conduct, pauses, head: share, isReal }: Case,
  seen: Seen,
): Promise<void> {
  const policy = presets[preset];
  const messages = messagesIn({ session: said, window, dialect });
  const clock = createClock();
  const summarizer = createModelSummarizer({
    models: [unrulyModel({ conduct, clock, window, dialect })],
    last: isReal ? byCharacter : quickSummarizer,
    clock,
    count: (text) => characterTokenizer.count(text),
  });
  const { session, again } = await begin({ policy, summarizer, clock });
  let freed: { readonly trigger: string; readonly tokens: number; readonly before: number }[] = [];
  session.on('compactionComplete', ({ installed, trigger, removed, before, strategy }) => {
    if (!installed) return;
    freed.push({ trigger, tokens: removed.tokens, before: before.tokens });
    seen[strategy === 'extractive' ? 'withoutModel' : 'byModel'] += 1;
  });
  let last: Prepared | undefined;
  let requests = 0;
  const append: EngineSession['append'] = (draft) => session.append(draft);
  const head = [system('x'.repeat(10 + window * share))];
  const model = modelOf({ window, dialect });
  for await (const prepared of play({ session: { append, prepare }, messages, model, head })) {
    if (requests % 3 > 0) await session.report({ usage: { input: prepared.tokens } });
    await clock.advance(pauses[requests % pauses.length] ?? 0);
    requests += 1;
  }
  // Whatever is still under way changes nothing, and the log alone says what is sent.
  const { items } = session.context;
  await clock.advance(1e7);
  expect(session.context.items).toEqual(items);
  expect((await again()).context.items).toEqual(items);
  const kept = (await session.session.read({ types: ['message'] })).flatMap((entry) =>
    entry.type === 'message' && entry.message.role !== 'system' ? [entry.message] : [],
  );
  expect(kept).toEqual(messages);

  async function prepare(input: PrepareInput): Promise<Prepared> {
    const before = session.context.items;
    freed = [];
    const waits = policy.when.mayWait > 0 ? { step } : {};
    const { value: prepared, waited } = await letRun({ work: session.prepare(input), clock, ...waits });
    seen.waited += waited > 0 ? 1 : 0;
    expect(waited).toBeLessThanOrEqual(policy.when.mayWait + step);
    checkRequest(prepared);
    const reasons = prepared.report.opened.map(({ reason }) => reason).join();
    if (last && requests % 2 === 0 && reasons === 'compaction') {
      await checkUndo({ before, added: Array.isArray(input.turn?.messages) ? input.turn.messages.length : 0 });
    }
    last = prepared;
    return prepared;
  }

  function checkRequest(prepared: Prepared): void {
    const { bound, report, items, epoch } = prepared;
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    if (items.length > 0) expect(judge({ dialect, body: bodyOf({ prepared, dialect }) })).toEqual({ legal: true });
    if (last?.epoch === epoch) expect(items.slice(0, last.items.length)).toEqual(last.items);
    expect(report.opened.length).toBeLessThanOrEqual(4);
    for (const { trigger, tokens } of freed) {
      // Where a request does not fit, whatever frees something is worth it.
      const isForced = ['budget', 'overflow', 'model-switch', ...(preset === 'pi' ? ['threshold'] : [])].includes(
        trigger,
      );
      expect(tokens).toBeGreaterThanOrEqual(isForced ? 1 : report.budget.minimum);
    }
  }

  /** Undo sends what was sent before, byte for byte, and what was said since; redo what was sent after. */
  async function checkUndo({ before, added }: { before: readonly ContextItem[]; added: number }): Promise<void> {
    const after = JSON.stringify(session.context.items);
    await session.undo();
    const { items } = session.context;
    expect(JSON.stringify(items.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(items).toHaveLength(before.length + added);
    await session.redo();
    expect(JSON.stringify(session.context.items)).toBe(after);
    seen.undone += 1;
  }
}
