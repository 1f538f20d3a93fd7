import { createSession, openSession, type SessionHeader, type SessionId, type Store } from '../session/index.ts';
import {
  createBoundedSummarizer,
  createExtractiveSummarizer,
  createFallbackSummarizer,
  type Summarizer,
} from '../summarize/index.ts';
import { type Clock, systemClock } from '../time.ts';
import { EngineSession, type EngineTools } from './engine-session.ts';
import type { Hooks } from './hooks/hooks.ts';
import { budgetOf } from './plan/budget.ts';
import type { Policy } from './policy/policy.ts';
import { type PresetName, presets } from './policy/presets.ts';
import { createTokenAccounting } from './token-accounting.ts';

/** Opens sessions that keep themselves inside the window of their model. */
export interface Engine {
  create(header?: Partial<Omit<SessionHeader, 'v'>>): Promise<EngineSession>;
  open(id: SessionId): Promise<EngineSession>;
}

/**
 * Makes an engine over a store. Without a tokenizer it counts each model by its own vocabulary where that is public, else
 * by OpenAI's newest, and learns from what providers report how far that is from theirs.
 *
 * @example
 * const engine = await createEngine({ store: createMemoryStore() });
 * const session = await engine.create({ cwd: '/repo' });
 * const { head, items } = await session.prepare({ model, turn: { messages: [user('Why is the build red?')] } });
 */
export async function createEngine({
  store,
  tokenizer,
  policy: chosen = 'longhaul',
  summarizer,
  hooks,
  secrets = [],
  clock = { now: Date.now },
  random = Math.random,
  nextId,
}: {
  readonly store: Store;
  /** With one of our encodings, long histories are counted in a worker. */
  readonly tokenizer?: { readonly count: (text: string) => number; readonly encoding?: string };
  /** A preset by name, or your own. */
  readonly policy?: Policy | PresetName;
  /**
   * How summaries are made; by default by choosing, without a model. Where another way fails, or keeps a turn waiting for
   * longer than the policy allows, that one is taken.
   */
  readonly summarizer?: Summarizer;
  /** Called before and after compactions and moves; `combineHooks` combines several. */
  readonly hooks?: Hooks;
  /** Values that are masked in summaries, in addition to detected keys. */
  readonly secrets?: readonly string[];
  readonly clock?: Pick<Clock, 'now'> & Partial<Clock>;
  /** For the policies that begin at a random point. */
  readonly random?: () => number;
  readonly nextId?: () => string;
}): Promise<Engine> {
  const policy = typeof chosen === 'string' ? presets[chosen] : chosen;
  // An invalid threshold is reported before anything is written.
  const { threshold } = policy.when;
  if (threshold !== undefined) budgetOf({ window: 100_000, threshold });
  const accounting = await createTokenAccounting({ tokenizer });
  const { count } = accounting;
  const isSure = summarizer?.needsNoModel === true;
  const sure = isSure ? summarizer : (summarizer?.last ?? createExtractiveSummarizer());
  const last = createBoundedSummarizer({ summarizer: sure, count });
  // Patience is measured on the clock that everything else is measured on.
  const time = clock.sleep && { clock: { now: clock.now, sleep: clock.sleep } };
  const first =
    summarizer && !isSure
      ? createFallbackSummarizer({ first: summarizer, last, count, timeout: policy.summarize.timeout, ...time })
      : last;
  const tools: EngineTools = {
    count,
    policy,
    now: clock.now,
    sleep: clock.sleep ?? systemClock.sleepUnref,
    random,
    by: { summarizer: first, last, secrets },
    hooks,
    accounting,
  };
  const stamps = { now: clock.now, ...(nextId && { nextId }) };
  return {
    create: async (header = {}) =>
      new EngineSession({ session: await createSession({ store, header, ...stamps }), tools }),
    open: async (id) => new EngineSession({ session: await openSession({ store, id, ...stamps }), tools }),
  };
}
