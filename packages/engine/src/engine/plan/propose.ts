import { createMask, fitAll, type SourceItem, type TokenCounter, withoutOldThinking } from '../../analysis/index.ts';
import { isHumanMessage, type Message } from '../../message/index.ts';
import { withoutProviderCompaction } from '../../message/internal.ts';
import type { TargetModel } from '../../models/index.ts';
import type { EntryId, SummaryTag } from '../../session/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import {
  afterSummary,
  type LiveRequest,
  type PinnedRule,
  type Summarizer,
  type Summary,
  type SummaryInput,
  summarizeSplitTurn,
} from '../../summarize/index.ts';
import { lossOf } from '../loss-report.ts';
import { pendingInput } from '../pending-input.ts';
import type { CompactionPlan, HeldItem, LossReport, PlanItem } from '../types.ts';
import { type NoPlan, planCut } from './cut.ts';

/** A compaction that could be installed. Nothing is written yet. */
export interface Proposal {
  readonly plan: CompactionPlan;
  readonly strategy: string;
  readonly summary: Summary;
  /** What the model reads in place of what was replaced. */
  readonly made: Message;
  readonly firstKeptId: EntryId | null;
  readonly replaced: ReadonlyMap<EntryId, Message | null>;
  /** Of the items together, without tools. */
  readonly tokensAfter: number;
  readonly loss: LossReport;
}

/** What stays verbatim, whatever it is worth. */
const leastTail = 0.1;

/**
 * What stays verbatim where the room allows it: agents that go on working need the state of their last edits, which facts
 * alone do not show. Measured with tails of 5,000, 8,000 and 12,000 tokens (docs/compaction.md).
 */
const recentTail = 8_000;

/** Of the room, so that most of it is left for the summary. */
const recentShare = 0.35;

/** A tail may be larger by this share, to keep the message that reaches its minimum whole. */
const overshoot = 0.25;

/** A summary below this says nothing; where less is left, the older tail gives way. */
export const smallestSummary = 300;

/**
 * Plans a compaction and makes its summary, without writing anything: what a dry run shows is what an installation
 * installs. What stays comes to at most `room` tokens together with the summary, as far as the pending input allows it:
 * that stays byte for byte.
 *
 * @example
 * const proposal = await propose({ held, source, headCount: 1, room: 60_000, keepRecent: 20_000, counter, summarizer, pins: [] });
 */
export async function propose({
  held,
  elided = new Map(),
  source,
  headCount,
  room,
  keepRecent,
  keepsWhole = false,
  leastSummary = smallestSummary,
  mostSummary = Number.POSITIVE_INFINITY,
  from,
  to,
  counter,
  summarizer,
  left = [],
  tag = 'summary',
  splitsTurns = false,
  live,
  model,
  ...about
}: {
  readonly held: readonly HeldItem[];
  /** What may stand in the place of an entry that stays: a notice for a read that is of no more use. */
  readonly elided?: ReadonlyMap<EntryId, Message>;
  /** Everything that was said on the way here, as it was said. */
  readonly source: readonly SourceItem[];
  readonly headCount: number;
  /** For the summary and everything that stays, pending input included. */
  readonly room: number;
  /** What stays verbatim at the end: at most, or with `keepsWhole` at least, where the room allows it. */
  readonly keepRecent: number;
  readonly keepsWhole?: boolean;
  /** A summary has so many tokens even where the room has fewer. */
  readonly leastSummary?: number;
  /** It has no more than so many, even where there is room. */
  readonly mostSummary?: number;
  readonly from?: number;
  readonly to?: number;
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  /** Rules for which there is no room. */
  readonly left?: readonly PinnedRule[];
  /** What the summary is marked with in the message that carries it. */
  readonly tag?: SummaryTag;
  /** Whether the beginning of a turn that the cut goes through gets a summary of its own. */
  readonly splitsTurns?: boolean;
  /** The model that reads it: some models need more than a summary. */
  readonly model?: Pick<TargetModel, 'dialect' | 'info'>;
  /** The request as it would go out, for a cut. */
  readonly live?: (cut: number) => LiveRequest;
} & Omit<SummaryInput, 'items' | 'kept' | 'later' | 'budget' | 'live'>): Promise<Proposal | NoPlan> {
  const items = held.map(({ item, tokens }) => {
    const message = elided.get(item.entry ?? '');
    return message ? { message, tokens: counter.countMessage(message) } : { message: item.message, tokens };
  });
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const pending = pendingInput({ messages: items.map(({ message }) => message), headCount });
  const pendingTokens = items.reduce((sum, { tokens }, index) => (pending.has(index) ? sum + tokens : sum), 0);
  const regularTail = Math.min(keepRecent, Math.floor(room * 0.7));
  // A tail that is kept as a whole leaves the summary its minimum.
  const spared = Math.max(leastSummary, Math.min(1_000, Math.floor((room - pendingTokens) / 10)));
  const recent = keepsWhole ? { least: Math.max(1, keepRecent), most: room - spared } : await worthKeeping();
  const most = Math.max(pendingTokens, recent.most);
  const plan = planCut({ items, headCount, keepRecent: most, keepsAtLeast: recent.least, ...range });
  if (plan.start === undefined) return plan;
  const { start, cut, turnStart } = plan;
  const kept = keptAfter();
  const keptTokens = kept.reduce((sum, { tokens }) => sum + tokens, 0);
  const before = items.slice(headCount, start).reduce((sum, { tokens }) => sum + tokens, 0);
  // Of a chosen part a summary is worth making also where the rest alone is more than a compaction would leave.
  const smallest = to === undefined ? leastSummary : Math.max(leastSummary, Math.floor(plan.tokens.replaced / 5));
  const frame = counter.countMessage(summaryMessage({ of: 'compaction', summary: '' }));
  const budget = Math.max(smallest, Math.min(mostSummary, room - keptTokens - before - frame));
  const { covered, later } = splitSource();
  const messages = kept.map(({ message }) => message);
  const { previous, ...rest } = about;
  // For a range in the middle, neither the live request nor the previous summary is to be summarized.
  const isFromStart = start === headCount;
  const input = {
    ...rest,
    items: covered,
    kept: messages,
    later,
    budget,
    ...(live && isFromStart && { live: live(cut) }),
    ...(previous && isFromStart && { previous }),
  };
  const { text, ...written } = await summarized();
  const mask = createMask({ values: about.secrets ?? [], salt: about.salt ?? '' });
  // Masked whichever summarizer wrote it.
  const summary = { ...written, text: mask(text) };
  const plain = summaryMessage({ of: 'compaction', summary: withinTags(summary.text), tag });
  const gone = items.slice(start, cut).map(({ message }) => message);
  const sent = model
    ? afterSummary({ made: plain, kept: messages, replaced: gone, model })
    : { made: plain, kept: messages };
  const { made } = sent;
  const added = sent.kept.reduce((sum, message, index) => {
    const before = kept[index];
    return message === before?.message ? sum : sum + counter.countMessage(message) - (before?.tokens ?? 0);
  }, 0);
  const replaced = new Map<EntryId, Message | null>();
  held.slice(cut).forEach(({ item }, index) => {
    const message = sent.kept[index];
    if (item.entry === null || message === undefined || message === item.message) return;
    replaced.set(item.entry, message.parts.length === 0 ? null : message);
  });
  const head = items.slice(0, start).reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    plan,
    strategy: summary.strategy ?? summarizer.strategy,
    summary,
    made,
    firstKeptId: held.slice(cut).find(({ item }) => item.entry !== null)?.item.entry ?? null,
    replaced,
    tokensAfter: head + counter.countMessage(made) + keptTokens + added,
    loss: lossOf({ held, plan, replaced, pins: [...about.pins, ...left], text: summary.text, kept: sent.kept, mask }),
  };

  /** What the summary covers: everything that is not sent verbatim; of a chosen range without a summary, that range. */
  function splitSource() {
    const part = held.slice(start, cut).map(({ item }) => item.entry);
    const rest = [...held.slice(0, start), ...held.slice(cut)].map(({ item }) => item.entry);
    const isOwn = from !== undefined && !part.includes(null);
    const [inside, outside] = [new Set(part), new Set(rest)];
    const isCovered = ({ id }: SourceItem) => (isOwn ? inside.has(id) : !outside.has(id));
    return { covered: source.filter(isCovered), later: source.filter((item) => !isCovered(item)) };
  }

  function summarized(): Promise<Summary> {
    const turn = splitsTurns && turnStart !== undefined ? held.slice(turnStart, cut) : [];
    const inTurn = new Set(turn.map(({ item }) => item.entry));
    const history = covered.filter(({ id }) => !inTurn.has(id));
    const prefix = covered.filter(({ id }) => inTurn.has(id));
    if (history.length === 0 || prefix.length === 0) return summarizer.summarize(input);
    return summarizeSplitTurn({ summarizer, input: { ...input, items: history }, prefix, count: counter.count });
  }

  /** How much of the end is worth more as it is than as selected lines. */
  /** How much of the end stays: what it is worth by its facts, and at least enough to go on working from. */
  async function worthKeeping(): Promise<{ readonly least: number; readonly most: number }> {
    const { focus, secrets = [], salt = '', signal } = about;
    const look = { secrets, salt, ...(signal && { signal }), ...(focus !== undefined && { focus }) };
    const worth = await summarizer.tailFor?.({ ...look, items: source, budget: room });
    if (worth === undefined) return { least: 0, most: regularTail };
    const share = Math.floor(room * recentShare);
    const needed = Math.max(Math.min(recentTail, share), lastExchange({ items, headCount, most: share }));
    const least = Math.min(regularTail, Math.max(worth, Math.floor(room * leastTail), needed));
    return { least, most: Math.min(regularTail, Math.floor(least * (1 + overshoot))) };
  }

  function keptAfter() {
    const tail = held.slice(cut);
    const staying = items.slice(cut);
    const messages = withoutOldThinking(staying.map(({ message }) => withoutProviderCompaction(message)));
    const counted = staying.map((item, index) => {
      const message = messages[index] ?? item.message;
      const tokens = message === item.message ? item.tokens : counter.countMessage(message);
      return { message, handle: tail[index]?.handle, tokens };
    });
    // A chosen end means that nothing behind it changes.
    if (to !== undefined) return counted;
    const isPending = (index: number) => pending.has(cut + index);
    const older = counted.filter((_, index) => !isPending(index));
    const fitted = fitAll({ items: older, total: most - pendingTokens, counter }).values();
    return counted.map((item, index) => {
      if (isPending(index)) return item;
      const smaller = fitted.next().value ?? item;
      // A message made for an earlier epoch has no entry that could be replaced.
      return tail[index]?.item.entry === null ? item : smaller;
    });
  }
}

/** Quoted text must not close the tag of the summary (sessions.md 6.1). */
export function withinTags(text: string): string {
  return text.replace(/<(\/?\s*(?:conversation-)?summary\s*)>/gi, '‹$1›');
}

/**
 * How many tokens the last complete exchange has, with everything after it: the latest words of a person that were
 * answered, or, where that is more than `most`, the latest answer of the model with the results of its calls; 0 where even
 * that is more.
 *
 * @example
 * lastExchange({ items, headCount: 1, most: 8_000 }); // 2_300
 */
export function lastExchange({
  items,
  headCount,
  most,
}: {
  readonly items: readonly PlanItem[];
  /** Leading items that always stay. */
  readonly headCount: number;
  readonly most: number;
}): number {
  let tokens = 0;
  let round = 0;
  let isAnswered = false;
  for (const { message, tokens: size } of items.slice(headCount).toReversed()) {
    tokens += size;
    if (tokens > most) return round;
    if (message.role === 'assistant') {
      isAnswered = true;
      if (round === 0) round = tokens;
    } else if (isAnswered && isHumanMessage(message)) return tokens;
  }
  return isAnswered ? tokens : round;
}
