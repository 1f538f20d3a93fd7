import { choosePins, pinLine } from '../../analysis/index.ts';
import { BudgetExceededError } from '../../errors.ts';
import type { Message } from '../../message/index.ts';
import { type Context, type EntryId, headLength, type Session } from '../../session/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import type { Summarizer } from '../../summarize/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import { noSuchEntry } from '../errors.ts';
import type { PathCache } from '../path-cache/path-cache.ts';
import { pendingInput, withCalls } from '../pending-input.ts';
import { overridesOf, type Policy } from '../policy/policy.ts';
import { supersededIn } from '../prune/elide.ts';
import { validRequestFor } from '../repair-request.ts';
import type { CompactionRequest, CompactionResult, HeldItem } from '../types.ts';
import { smallestRoom } from './budget.ts';
import { gatherSource } from './gather.ts';
import { type Proposal, propose } from './propose.ts';
import { type ContextSizes, divideRoom } from './room.ts';

/** What makes summaries, for all sessions of an engine. */
export interface Summarizers {
  readonly summarizer: Summarizer;
  /** The one that needs no model: a second attempt is not worth another wait. */
  readonly last: Summarizer;
  /** Values that must not stand in a summary. */
  readonly secrets: readonly string[];
}

/** What of a policy a plan depends on. */
export type PlanPolicy = Pick<Policy, 'keep' | 'prune' | 'imitates'> & {
  readonly when: Pick<Policy['when'], 'install'>;
  readonly summarize: Pick<Policy['summarize'], 'maxTokens'>;
};

/** A compaction that could be installed. It was made of a conversation as it stood then; nothing is written. */
export interface CompactionCandidate {
  readonly request: CompactionRequest;
  readonly proposal: Proposal;
  readonly held: readonly HeldItem[];
  /** What it was planned on, and the newest entry at that time. */
  readonly context: Context;
  readonly last: number;
  /** The bound over the likely size. */
  readonly slack: number;
  readonly result: CompactionResult;
}

/** What is prepared early goes in at about this share of the threshold. */
const regularStart = 0.9;

/** Where the first is not enough, each further attempt leaves less. */
const attempts = [1, 0.5, 0.25, 0.1];

/** Of a summary pinned rules take at most so much. */
const pinShare = 0.8;

/**
 * Plans a compaction of what is sent now and makes its summary, without writing anything; later it can be installed, as
 * long as the conversation only grew. There is a candidate only where it is worth it.
 */
export async function planCompaction({
  session,
  pathCache,
  by,
  policy,
  request,
}: {
  readonly session: Session;
  /** The cached path of the session. */
  readonly pathCache: PathCache;
  readonly by: Summarizers;
  readonly policy: PlanPolicy;
  readonly request: CompactionRequest;
}): Promise<{ readonly candidate?: CompactionCandidate; readonly answer: CompactionResult }> {
  const { ledger, tools, budget } = request;
  // A snapshot: entries that are appended while the summary is made are not part of it.
  const { context } = session;
  const { last } = session.head;
  const snapshot = ledger.count({ context, tools });
  const gathered = await gatherSource({ session, pathCache, ledger, context, leaf: session.head.leaf });
  // With a chosen range nothing else may change.
  const isWhole = request.from === undefined && request.to === undefined;
  const elided =
    policy.prune.outputs && isWhole ? await supersededIn({ session, ledger, policy }) : new Map<EntryId, Message>();
  const { held } = gathered;
  const headCount = headLength(context);
  const overhead = ledger.toolTokens(tools);
  checkHead({ context, held, overhead, bound: snapshot.bound, limit: budget.limit });
  // What a provider confirmed is void after a change: the bound is then as loose as it is for all of it anew.
  const anew = ledger.estimate({ items: context.items, tools });
  const slack = anew.used === 0 ? 1 : Math.max(1, anew.bound / anew.used);
  const sizes = sizesOf();
  // A requested compaction cannot loop, and clearing a large window that is hardly filled is worthwhile.
  const isByHand = request.trigger === 'manual' || request.trigger === 'memory';
  const tokensBefore = snapshot.used;
  const minimum = request.trigger === 'manual' ? 1 : isByHand ? leastByMemory() : budget.minimum;
  let answer = noCompaction({ reason: 'There is nothing to compact.', snapshot });
  for (const share of request.isForced ? attempts : attempts.slice(0, 1)) {
    const proposal = await proposed(share);
    if (!('summary' in proposal)) {
      const isShort = request.trigger === 'manual' && isWhole && sizes.older > 0;
      return { answer: { ...answer, reason: isShort ? nothingGained : proposal.why } };
    }
    const tokensAfter = Math.ceil((proposal.tokensAfter + overhead) * sizes.ratio);
    const freed = tokensBefore - tokensAfter;
    answer = describe({ proposal, held, tokensBefore, tokensAfter });
    const isEnough = request.isForced ? boundAfter(proposal) <= budget.limit : freed >= minimum;
    const isLast = share === attempts.at(-1);
    if (isEnough || (request.isForced && isLast && freed > 0)) {
      answer = { ...answer, worthwhile: true };
      return { answer, candidate: { request, proposal, held, context, last, slack, result: answer } };
    }
    answer = { ...answer, reason: tooLittle({ freed, minimum, isByHand: request.trigger === 'manual' }) };
  }
  return { answer };

  function leastByMemory(): number {
    return Math.min(budget.minimum, Math.ceil(tokensBefore / 10));
  }

  /** What is there, by our own count, and what may be added to head and pending input by the bound of both. */
  function sizesOf(): ContextSizes {
    const messages = context.items.map(({ message }) => message);
    const pending = pendingInput({ messages, headCount });
    const needed = withCalls({ messages, pending });
    const sum = (isCounted: (index: number) => boolean) =>
      held.reduce((tokens, item, index) => (isCounted(index) ? tokens + item.tokens : tokens), 0);
    const ours = sum(() => true) + overhead;
    const head = sum((index) => index < headCount) + overhead;
    const waiting = sum((index) => pending.has(index));
    const staying = context.items.filter((_, index) => index < headCount || needed.has(index));
    const { bound } = ledger.estimate({ items: staying, tools });
    const perToken = ours === 0 ? 1 : anew.bound / ours;
    const frame = ledger.counter.countMessage(summaryMessage({ of: 'compaction', summary: '' }));
    return {
      head,
      pending: waiting,
      older: ours - head - waiting,
      source: sourceTokens,
      isForeign: gathered.isForeign,
      rounds: 'rounds' in policy.keep ? keptRounds({ held, rounds: policy.keep.rounds }) : 0,
      whole: Math.floor(budget.limit / Math.max(1, perToken)),
      spare: Math.floor((budget.limit - bound) / Math.max(1, perToken)) - frame,
      // Budgets are in the provider's measure, sizes in ours: by what it reported of them.
      ratio: ours === 0 ? 1 : snapshot.used / ours,
    };

    function sourceTokens(most: number): number {
      let tokens = -waiting;
      for (const { message } of gathered.source.toReversed()) {
        if (tokens >= most) break;
        tokens += ledger.counter.countMessage(message);
      }
      return Math.max(0, tokens);
    }
  }

  function boundAfter({ plan, made, replaced }: Proposal): number {
    const kept = context.items.slice(plan.cut).flatMap((item) => {
      const message = item.entry === null ? undefined : replaced.get(item.entry);
      return message === null ? [] : [message ? { ...item, message } : item];
    });
    const items = [...context.items.slice(0, plan.start), { message: made, entry: null, isMade: true }, ...kept];
    return ledger.estimate({ items, tools }).bound;
  }

  function proposed(share: number) {
    const { source, pins, pinBudget, documentBudget, recorded } = gathered;
    const { focus, signal, state, live, previous, trigger, mode, narrative, transcript, onAttempt, isForced } = request;
    // What waits for its moment goes in with all that came until then behind it.
    const isEarly = trigger === 'background' && policy.when.install === 'boundary';
    const coming = isEarly ? Math.max(0, budget.threshold * regularStart - tokensBefore) : 0;
    const measured = { ...sizes, ratio: Math.max(1, sizes.ratio) };
    const room = divideRoom({ policy, budget, sizes: measured, minimum, isForced, isByHand, coming, share });
    const { keepRecent, keepsWhole, leastSummary, mostSummary } = room;
    const { summaryTag, splitsTurns } = overridesOf(policy);
    // Pinned rules come before the older tail and before the rest of the summary.
    const pinsIn = Math.floor(Math.max(sizes.spare, leastSummary) * pinShare);
    const pinRoom = Math.min(pinBudget, pinsIn);
    const documents = Math.min(documentBudget, pinsIn - pinRoom);
    const rules = choosePins({ pins, budget: pinRoom, documents, count: ledger.counter.count });
    const pinTokens = rules.kept.reduce((sum, pin) => sum + ledger.counter.count(pinLine(pin)), 0);
    const excerpt = Math.floor(Math.max(room.excerpt, pinTokens / pinShare));
    return propose({
      held,
      elided,
      source,
      headCount,
      room: sizes.pending + excerpt,
      trigger,
      keepRecent,
      keepsWhole,
      leastSummary,
      ...(mostSummary !== undefined && { mostSummary }),
      pins: rules.kept,
      left: rules.left,
      tag: summaryTag,
      splitsTurns,
      ...rangeOf({ held, from: request.from, to: request.to }),
      counter: ledger.counter,
      model: ledger.model,
      summarizer: share === 1 && request.usesModel ? by.summarizer : by.last,
      secrets: by.secrets,
      salt: session.id,
      ...(recorded.length > 0 && { recorded }),
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
  }

  /** How many messages of the request stand before the cut; mending can make more or fewer of them. */
  function coveredBy(cut: number): number {
    const before = { ...context, items: context.items.slice(0, cut) };
    return validRequestFor({ context: before, model: ledger.model }).items.length;
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

const nothingGained = 'Nothing would be gained: a summary would be no shorter than what it replaces.';

function tooLittle(of: { readonly freed: number; readonly minimum: number; readonly isByHand: boolean }): string {
  if (of.isByHand) return nothingGained;
  return `It would free ${Math.max(0, of.freed)} tokens, and ${of.minimum} are the least that is worth it.`;
}

export function noCompaction({
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
    strategy: proposal.strategy,
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

/** What the newest rounds come to: answers of the model with the results of their calls (editor.md 3.2 keeps one). */
function keptRounds({ held, rounds }: { readonly held: readonly HeldItem[]; readonly rounds: number }): number {
  let [seen, tokens, kept] = [0, 0, 0];
  for (const { item, tokens: size } of held.toReversed()) {
    if (seen === rounds) break;
    tokens += size;
    if (item.message.role !== 'assistant') continue;
    seen += 1;
    kept = tokens;
  }
  return kept;
}
