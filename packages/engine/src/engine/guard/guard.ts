import { type Message, type MessageRange, turns } from '../../message/index.ts';
import { pendingInput, withCalls } from '../pending-input.ts';
import type { PlanItem } from '../types.ts';

/** What the guard leaves. */
export interface GuardCut {
  /** Places of the items that stay, in order. */
  readonly kept: readonly number[];
  /** What they come to. */
  readonly tokens: number;
}

/**
 * Of what may go, a cut leaves this share of what would fit. Every cut makes the provider read everything anew, so there
 * are few of them, and large ones.
 */
const step = 0.75;

/**
 * The last guard: what is left when nothing else made a list fit. Whole rounds of the model's older turns go first, then
 * what was said in older turns, then the older rounds of the latest turn, then summaries; never the head, the latest
 * human message or the pending input. Results whose call is gone go with it. Nothing is cut from a list that fits, but
 * for orphans.
 *
 * @example
 * const { kept } = guardCut({ items, headCount: 1, limit: 100_000 });
 */
export function guardCut({
  items,
  headCount,
  limit,
}: {
  readonly items: readonly PlanItem[];
  readonly headCount: number;
  readonly limit: number;
}): GuardCut {
  const messages = items.map(({ message }) => message);
  const gone = orphans(messages);
  const needed = withCalls({ messages, pending: pendingInput({ messages, headCount }) });
  const tokensOf = (isCounted: (index: number) => boolean) =>
    items.reduce((sum, item, index) => (isCounted(index) ? sum + item.tokens : sum), 0);
  let tokens = tokensOf((index) => !gone.has(index));
  if (tokens > limit) {
    const fixed = tokensOf((index) => index < headCount || needed.has(index));
    const goal = fixed + Math.floor(Math.max(0, limit - fixed) * step);
    for (const places of cutOrder({ items, headCount })) {
      if (tokens <= goal) break;
      for (const index of places) {
        if (gone.has(index) || needed.has(index)) continue;
        gone.add(index);
        tokens -= items[index]?.tokens ?? 0;
      }
    }
  }
  return { kept: items.flatMap((_, index) => (gone.has(index) ? [] : [index])), tokens };
}

/** What may go, in order; each step is a list of places that go together. */
function cutOrder({
  items,
  headCount,
}: {
  readonly items: readonly PlanItem[];
  readonly headCount: number;
}): number[][] {
  const all = turns(items.slice(headCount).map(({ message }) => message));
  const older = all.slice(0, -1);
  const latest = all.at(-1);
  const rounds = older.flatMap((turn) => turn.rounds.map(places));
  const taken = new Set(rounds.flat());
  const said = older.map((turn) => places(turn).filter((index) => !taken.has(index)));
  // The newest round is what the model is in the middle of.
  const recent = (latest?.rounds ?? []).slice(0, -1).map(places);
  // Pinned rules are in a summary: it goes last.
  const rest = said.map((list) => list.filter((index) => !isSummary(index))).filter((list) => list.length > 0);
  const summaries = said.flat().filter(isSummary);
  return [...rounds, ...rest, ...recent, summaries];

  function isSummary(index: number): boolean {
    return items[index]?.message.parts.every(({ origin }) => origin === 'engine') ?? false;
  }

  function places({ start, end }: MessageRange): number[] {
    return Array.from({ length: end - start }, (_, index) => headCount + start + index);
  }
}

/** Messages that hold nothing but results of calls that are not there. */
function orphans(messages: readonly Message[]): Set<number> {
  const called = new Set<string>();
  const found = new Set<number>();
  messages.forEach(({ parts }, index) => {
    const isOrphan = parts.length > 0 && parts.every((part) => part.type === 'tool_result' && !called.has(part.callId));
    if (isOrphan) found.add(index);
    for (const part of parts) if (part.type === 'tool_call') called.add(part.id);
  });
  return found;
}
