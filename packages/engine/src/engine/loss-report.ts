import { type Mask, survivalOf } from '../analysis/index.ts';
import type { Message, Part } from '../message/index.ts';
import type { EntryId } from '../session/index.ts';
import type { PinnedRule } from '../summarize/index.ts';
import type { Amount, CompactionPlan, HeldItem, Inventory, LossKind, LossReport } from './types.ts';

const none: Amount = { parts: 0, chars: 0 };

const emptyInventory: Inventory = {
  human: none,
  engine: none,
  model: none,
  thinking: none,
  calls: none,
  results: none,
  media: none,
};

/**
 * What a list of messages holds.
 *
 * @example
 * inventoryOf(messages).results.parts; // tool results
 */
export function inventoryOf(messages: readonly Message[]): Inventory {
  const amounts = new Map<LossKind, { parts: number; chars: number }>();
  for (const { parts } of messages) for (const part of parts) take(part);
  return { ...emptyInventory, ...Object.fromEntries(amounts) };

  function take(part: Part): void {
    const kind = kindOf(part);
    const amount = amounts.get(kind) ?? { parts: 0, chars: 0 };
    amounts.set(kind, { parts: amount.parts + 1, chars: amount.chars + lengthOf(part) });
  }
}

function kindOf({ type, origin }: Part): LossKind {
  switch (type) {
    case 'thinking':
      return 'thinking';
    case 'tool_call':
      return 'calls';
    case 'tool_result':
      return 'results';
    case 'image':
    case 'document':
    case 'opaque':
      return 'media';
    default:
      return origin === 'human'
        ? 'human'
        : origin === 'model'
          ? 'model'
          : origin === 'tool' || origin === 'data'
            ? 'results'
            : 'engine';
  }
}

function lengthOf(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool_call':
      return part.name.length + part.arguments.length;
    case 'tool_result':
      return part.content.reduce((sum, inner) => sum + lengthOf(inner), 0);
    case 'image':
    case 'document':
      return part.source.kind === 'base64' ? part.source.data.length : 0;
    default:
      return JSON.stringify(part.value).length;
  }
}

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
  readonly plan: CompactionPlan;
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
