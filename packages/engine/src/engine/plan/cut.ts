import { cutsOf } from '../../analysis/index.ts';
import type { Message } from '../../message/index.ts';
import { pendingInput } from '../pending-input.ts';
import type { CompactionPlan, PlanItem } from '../types.ts';

export interface NoPlan {
  readonly start?: never;
  readonly why: string;
}

/**
 * Where to cut. Walks back from the end until `keepRecent` tokens are kept, then goes forward to the next place where no
 * call is parted from its result; where there is none (trailing results alone are larger), back to the last one before, so
 * that something is always compacted (pi #9740 silently compacted nothing). A cut between turns is preferred to one within
 * a turn when it costs little. Pending input is never replaced. Pure; the same in a dry run.
 *
 * @example
 * const plan = planCut({ items, headCount: 1, keepRecent: 20_000 });
 * console.log(plan.why);
 */
export function planCut({
  items,
  headCount,
  keepRecent,
  keepsAtLeast = 0,
  from,
  to,
}: {
  readonly items: readonly PlanItem[];
  /** Leading items that always stay. */
  readonly headCount: number;
  /** How many tokens stay at the end at most. */
  readonly keepRecent: number;
  /** How many stay at least: the message that reaches this number stays as a whole, as far as `keepRecent` allows. */
  readonly keepsAtLeast?: number;
  /** A chosen range: the first item to go. */
  readonly from?: number;
  /** The first item to stay. */
  readonly to?: number;
}): CompactionPlan | NoPlan {
  const start = Math.max(headCount, from ?? headCount);
  const messages = items.map(({ message }) => message);
  const cuts = cutsOf(messages);
  // What the model is about to answer stays; only after its last word may everything go.
  if (items.at(-1)?.message.role !== 'assistant') cuts[items.length] = 'none';
  const [firstPending = items.length] = pendingInput({ messages, headCount });
  cuts.fill('none', firstPending + 1);
  const cut = to === undefined ? recentCut() : chosenCut(to);
  if (cut === undefined || cut <= start) return { why: nothingToDo() };
  const turnStart = turnAround(cut);
  const tokens = { replaced: sum(items.slice(start, cut)), kept: sum(items.slice(cut)) };
  return {
    start,
    cut,
    ...(turnStart !== undefined && { turnStart }),
    breaksThinking: cuts[cut] === 'mid-chain',
    tokens,
    why: sentence(),
  };

  function recentCut(): number | undefined {
    let kept = 0;
    let index = items.length;
    const most = keepsAtLeast > 0 ? Math.min(keepsAtLeast, keepRecent) : keepRecent;
    while (index > start && kept + (items[index - 1]?.tokens ?? 0) <= most) {
      index -= 1;
      kept += items[index]?.tokens ?? 0;
    }
    const reaching = keepsAtLeast > kept ? lastCut(index - 1) : undefined;
    if (reaching !== undefined && sum(items.slice(reaching)) <= keepRecent) return reaching;
    return nextCut(index) ?? lastCut(index);
  }

  /** The first legal place from here on; a clean one if it is not far. */
  function nextCut(index: number): number | undefined {
    const legal = find(index, (cut) => cut !== 'none');
    const clean = find(index, (cut) => cut === 'clean');
    if (legal === undefined || clean === undefined || clean >= items.length) return legal;
    const given = sum(items.slice(legal, clean));
    return given <= keepRecent / 2 ? clean : legal;
  }

  function find(index: number, fits: (cut: string) => boolean): number | undefined {
    for (let at = index; at <= items.length; at += 1) if (fits(cuts[at] ?? 'none')) return at;
    return undefined;
  }

  function lastCut(index: number): number | undefined {
    for (let at = Math.min(index, items.length); at > start; at -= 1) if (cuts[at] !== 'none') return at;
    return undefined;
  }

  /** A chosen end that would part a call from its result gives way to the next place after it. */
  function chosenCut(index: number): number | undefined {
    return find(Math.min(index, items.length), (cut) => cut !== 'none') ?? lastCut(index);
  }

  function turnAround(index: number): number | undefined {
    if (index >= items.length || isTurnStart(items[index]?.message)) return undefined;
    for (let at = index - 1; at >= start; at -= 1) if (isTurnStart(items[at]?.message)) return at;
    return undefined;
  }

  function nothingToDo(): string {
    if (items.length <= headCount) return 'There is nothing to compact: nothing was said yet.';
    return 'There is nothing to compact: all of it is recent, or belongs to calls that are not finished.';
  }

  function sentence(): string {
    const split = turnStart === undefined ? '' : ' The cut goes through a turn; its beginning is part of the summary.';
    const gone = (cut ?? 0) - start;
    const rest = items.length - (cut ?? 0);
    const kept = rest === 0 ? 'none stays' : rest === 1 ? '1 stays' : `${rest} stay`;
    return `${gone === 1 ? '1 message becomes' : `${gone} messages become`} a summary, ${kept}.${split}`;
  }
}

function sum(items: readonly PlanItem[]): number {
  return items.reduce((tokens, item) => tokens + item.tokens, 0);
}

function isTurnStart(message: Message | undefined): boolean {
  if (message?.role !== 'user') return false;
  return message.parts.some(({ type, origin }) => type !== 'tool_result' && origin !== 'engine');
}
