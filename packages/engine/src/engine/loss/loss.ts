import { type Mask, survivalOf } from '../../analysis/index.ts';
import type { Message } from '../../message/index.ts';
import type { EntryId } from '../../session/index.ts';
import type { PinnedRule } from '../../summarize/index.ts';
import type { Plan } from '../plan/plan.ts';
import type { HeldItem } from '../propose.ts';
import type { LossReport } from '../result.ts';
import { inventoryOf } from './inventory.ts';

/**
 * What a compaction takes out of what is sent, part by part: what is kept and what is lost are counted each on its own,
 * and add up to what was there before.
 *
 * @example
 * lossOf({ held, plan, replaced, pins, text, kept, mask }).lost.results.parts;
 */
export function lossOf({
  held,
  plan,
  replaced,
  pins,
  text,
  kept,
  mask,
}: {
  readonly held: readonly HeldItem[];
  readonly plan: Plan;
  readonly replaced: ReadonlyMap<EntryId, Message | null>;
  readonly pins: readonly PinnedRule[];
  /** The summary. */
  readonly text: string;
  readonly kept: readonly Message[];
  /** As the summary was masked. */
  readonly mask: Mask;
}): LossReport {
  const gone: Message[] = [];
  const staying: Message[] = [];
  held.forEach(({ item }, index) => {
    const { message, entry } = item;
    if (index >= plan.start && index < plan.cut) {
      gone.push(message);
      return;
    }
    const made = entry === null ? undefined : replaced.get(entry);
    if (made === undefined) staying.push(message);
    else split({ message, made });
  });
  const covered = held.slice(plan.start, plan.cut).flatMap(({ handle }) => handle ?? []);
  const said = kept.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  return {
    before: inventoryOf(held.map(({ item }) => item.message)),
    kept: inventoryOf(staying),
    lost: inventoryOf(gone),
    handles: rangeOf(covered),
    reduced: replaced.size,
    pins: survivalOf({ pins: pins.map(({ text: rule, from = '' }) => ({ text: rule, from })), text, mask }).pins.map(
      (rule, index) => ({
        text: rule.text,
        survived: rule.present || said.some((words) => words.includes(pins[index]?.text ?? rule.text)),
      }),
    ),
  };

  /** Parts that a shortened message still has as they were are kept; the others are lost. */
  function split({ message, made }: { readonly message: Message; readonly made: Message | null }): void {
    const same = new Set<unknown>(made?.parts);
    staying.push({ ...message, parts: message.parts.filter((part) => same.has(part)) });
    gone.push({ ...message, parts: message.parts.filter((part) => !same.has(part)) });
  }
}

function rangeOf(handles: readonly number[]): LossReport['handles'] {
  const [first] = handles;
  if (first === undefined) return null;
  // Spread into a call, the handles of a long session are too many arguments.
  return handles.reduce(({ from, to }, at) => ({ from: Math.min(from, at), to: Math.max(to, at) }), {
    from: first,
    to: first,
  });
}
