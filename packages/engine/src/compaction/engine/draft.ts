import { BudgetExceededError } from '../../errors.ts';
import type { Message } from '../../message/index.ts';
import { type Context, type EntryId, headLength, type Session } from '../../session/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import { noSuchEntry } from '../errors.ts';
import { keepRecentFor, smallestRoom } from '../plan/budget.ts';
import type { Policy } from '../policy/policy.ts';
import { type HeldItem, type Proposal, propose } from '../propose.ts';
import type { Summariser } from '../summarise/summariser.ts';
import type { Trail } from '../trail/trail.ts';
import { type Gathered, gather } from './gather.ts';
import { keptRounds } from './kept-rounds.ts';
import { legalFor } from './legal.ts';
import type { Order } from './order.ts';
import { supersededIn } from './prune.ts';
import type { CompactionResult } from './result.ts';

/** What makes summaries, for all sessions of an engine. */
export interface Summarising {
  readonly summariser: Summariser;
  /** The one that needs no model: a second attempt is not worth another wait. */
  readonly last: Summariser;
  /** Values that must not stand in a summary. */
  readonly secrets: readonly string[];
}

/** A compaction that could be installed. It was made of a conversation as it stood then; nothing is written. */
export interface Candidate {
  readonly order: Order;
  readonly proposal: Proposal;
  readonly held: readonly HeldItem[];
  /** What it was planned on, and the newest entry at that time. */
  readonly context: Context;
  readonly last: number;
  /** The bound over the likely size. */
  readonly slack: number;
  readonly answer: CompactionResult;
}

/** The bound of what a compaction leaves, of what may be sent: there must be room for what comes next. */
const roomy = 0.75;

/** What is prepared early goes in at about this share of the threshold. */
const usualMoment = 0.9;

/** Where the first is not enough, each further attempt leaves less. */
const attempts = [1, 0.5, 0.25, 0.1];

/**
 * Plans a compaction of what is sent now and makes its summary, without writing anything; later it can be installed, as
 * long as the conversation only grew. There is a candidate only where it is worth it.
 */
export async function draft({
  session,
  trail,
  by,
  policy,
  order,
}: {
  readonly session: Session;
  /** The way to where it stands, at hand. */
  readonly trail: Trail;
  readonly by: Summarising;
  readonly policy: Pick<Policy, 'keep' | 'prunes' | 'install'>;
  readonly order: Order;
}): Promise<{ readonly candidate?: Candidate; readonly answer: CompactionResult }> {
  const { scale, tools, budget } = order;
  // All of it as it is at this moment: what comes while the summary is made is none of its business.
  const { context } = session;
  const { last } = session.head;
  const snapshot = scale.weigh({ context, tools });
  const gathered = await gather({ session, trail, scale, context, leaf: session.head.leaf });
  // Whoever chooses a part means that nothing else changes.
  const isWhole = order.from === undefined && order.to === undefined;
  const elided = policy.prunes && isWhole ? await supersededIn({ session, scale }) : new Map<EntryId, Message>();
  const { held } = gathered;
  const overhead = scale.toolTokens(tools);
  checkHead({ context, held, overhead, bound: snapshot.bound, limit: budget.limit });
  // What a provider confirmed is void after a change: the bound is then as loose as it is for all of it anew.
  const anew = scale.trial({ items: context.items, tools });
  const slack = anew.used === 0 ? 1 : Math.max(1, anew.bound / anew.used);
  // Budgets are in the provider's measure, sizes in ours: by what it reported of them.
  const ours = held.reduce((sum, { tokens }) => sum + tokens, overhead);
  const ratio = ours === 0 ? 1 : snapshot.used / ours;
  const tokensBefore = snapshot.used;
  // Whoever asks for it has no loop to fear, and a large window that is hardly filled is worth clearing.
  const isByHand = order.trigger === 'manual' || order.trigger === 'memory';
  const minimum = isByHand ? Math.min(budget.minimum, Math.ceil(tokensBefore / 10)) : budget.minimum;
  let answer = nothing({ reason: 'There is nothing to compact.', snapshot });
  for (const share of order.isForced ? attempts : attempts.slice(0, 1)) {
    const proposal = await proposed({ gathered, overhead, slack, ratio: Math.max(1, ratio), share });
    if (!('summary' in proposal)) return { answer: { ...answer, reason: proposal.why } };
    const tokensAfter = Math.ceil((proposal.tokensAfter + overhead) * ratio);
    const freed = tokensBefore - tokensAfter;
    answer = describe({ proposal, held, tokensBefore, tokensAfter });
    const isEnough = order.isForced ? tokensAfter * slack <= budget.limit : freed >= minimum;
    const isLast = share === attempts.at(-1);
    if (isEnough || (order.isForced && isLast && freed > 0)) {
      answer = { ...answer, worthwhile: true };
      return { answer, candidate: { order, proposal, held, context, last, slack, answer } };
    }
    answer = {
      ...answer,
      reason: `It would free ${Math.max(0, freed)} tokens, and ${minimum} are the least that is worth it.`,
    };
  }
  return { answer };

  function proposed(of: {
    readonly gathered: Gathered;
    readonly overhead: number;
    readonly slack: number;
    readonly ratio: number;
    readonly share: number;
  }) {
    const { source, rules } = of.gathered;
    const { focus, signal, state, live, previous, trigger, mode, narrative, transcript, onAttempt } = order;
    const headCount = headLength(context);
    const head = held.slice(0, headCount).reduce((sum, { tokens }) => sum + tokens, 0);
    // It has to fit by its bound: the looser that is, the more room it takes, or the next request would be too large again.
    const fitting = isByHand ? budget.target : Math.min(budget.target, (budget.limit * roomy) / of.slack);
    // What waits for its moment goes in with all that came until then behind it.
    const isEarly = order.trigger === 'background' && policy.install === 'boundary';
    const coming = isEarly ? Math.max(0, budget.threshold * usualMoment - tokensBefore) : 0;
    const target = Math.max(fitting / 2, fitting - coming);
    const room = Math.max(0, Math.floor((target / of.ratio - head - of.overhead) * of.share));
    const keep =
      'tokens' in policy.keep ? recent(policy.keep.tokens) : keptRounds({ held, rounds: policy.keep.rounds });
    return propose({
      ...{ held, elided, source, headCount, room, pins: rules.kept, left: rules.left, trigger },
      ...rangeOf({ held, from: order.from, to: order.to }),
      keepRecent: Math.floor(keep * of.share),
      scales: scale.scales,
      model: scale.model,
      summariser: of.share === 1 && order.asks ? by.summariser : by.last,
      secrets: by.secrets,
      salt: session.id,
      ...(live && { live: (cut: number) => ({ ...live, covers: coveredBy(cut) }) }),
      ...(previous && { previous }),
      ...(transcript && { transcript }),
      ...(onAttempt && { onAttempt }),
      ...(mode && { mode }),
      ...(narrative && { narrative }),
      ...(session.header.cwd !== undefined && { root: session.header.cwd }),
      ...(focus !== undefined && { focus }),
      ...(signal && { signal }),
      ...(state && Object.keys(state).length > 0 && { state }),
    });

    function recent(tokens: number): number {
      return Math.min(tokens, keepRecentFor({ window: budget.window })) / of.ratio;
    }
  }

  /** How many messages of the request stand before the cut; mending can make more or fewer of them. */
  function coveredBy(cut: number): number {
    const before = { ...context, items: context.items.slice(0, cut) };
    return legalFor({ context: before, model: scale.model }).items.length;
  }
}

/** What may not be cut has to leave room for a conversation, or no compaction would help. */
function checkHead(of: {
  readonly context: Context;
  readonly held: readonly HeldItem[];
  readonly overhead: number;
  readonly bound: number;
  readonly limit: number;
}): void {
  const sum = (items: readonly HeldItem[]) => items.reduce((tokens, item) => tokens + item.tokens, of.overhead);
  const fixed = sum(of.held.slice(0, headLength(of.context)));
  const excess = Math.ceil((fixed * of.bound) / Math.max(1, sum(of.held)) + smallestRoom - of.limit);
  if (excess <= 0) return;
  throw new BudgetExceededError({ part: 'The head and the tools', excess, limit: of.limit });
}

export function nothing({
  reason,
  snapshot,
}: {
  readonly reason: string;
  readonly snapshot: Snapshot;
}): CompactionResult {
  const { used: tokens } = snapshot;
  return { installed: false, worthwhile: false, reason, tokensBefore: tokens, tokensAfter: tokens };
}

function rangeOf(of: {
  readonly held: readonly HeldItem[];
  readonly from: EntryId | undefined;
  readonly to: EntryId | undefined;
}): { readonly from?: number; readonly to?: number } {
  const place = (id: EntryId) => {
    const index = of.held.findIndex(({ item }) => item.entry === id);
    if (index < 0) throw noSuchEntry(id);
    return index;
  };
  return {
    ...(of.from !== undefined && { from: place(of.from) }),
    ...(of.to !== undefined && { to: place(of.to) + 1 }),
  };
}

function describe(of: {
  readonly proposal: Proposal;
  readonly held: readonly HeldItem[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}): CompactionResult {
  const { proposal, held, tokensBefore, tokensAfter } = of;
  const { summary } = proposal;
  return {
    installed: false,
    worthwhile: false,
    reason: proposal.plan.why,
    rung: proposal.rung,
    tokensBefore,
    tokensAfter,
    cut: cutOf({ proposal, held }),
    summary: summary.text,
    short: summary.short,
    ...(summary.title !== undefined && { title: summary.title }),
    ...(summary.attempts && { attempts: summary.attempts }),
    ...(summary.kept !== undefined && { kept: summary.kept }),
    loss: proposal.loss,
  };
}

export function cutOf({ proposal, held }: { readonly proposal: Proposal; readonly held: readonly HeldItem[] }) {
  const { start, cut } = proposal.plan;
  return {
    replacedTo: held.slice(start, cut).findLast(({ handle }) => handle !== undefined)?.handle ?? null,
    keptFrom: held.slice(cut).find(({ handle }) => handle !== undefined)?.handle ?? null,
  };
}
