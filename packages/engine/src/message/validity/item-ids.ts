import { native } from '../codecs/wire.ts';
import type { Message, Part, Wire } from '../message.ts';
import { createEdits, edited } from './edits.ts';
import type { PartPosition } from './problem.ts';
import type { ValidityRules } from './rules.ts';
import type { RepairStep } from './slot.ts';

const dialect = 'openai-responses';

/** "Duplicate item found with id rs_1. Remove duplicate items from your input and try again." */
export function repeatedItems(messages: readonly Message[], rules: ValidityRules): PartPosition[] {
  if (!rules.uniqueItemIds) return [];
  const seen = new Set<string>();
  const isRepeated = (value: { readonly wire?: Wire }) => {
    const id = native(value, dialect)?.fields?.id;
    if (typeof id !== 'string') return false;
    return seen.has(id) || !seen.add(id);
  };
  return messages.flatMap((message, index) => [
    ...(isRepeated(message) ? [{ message: index }] : []),
    ...message.parts.flatMap((part, position) => (isRepeated(part) ? [{ message: index, part: position }] : [])),
  ]);
}

/** Reasoning that comes twice goes; anything else only loses the id, which is no part of what it says. */
export const repairItemIds: RepairStep = ({ slots, rules, repairs }) => {
  const messages = slots.map((slot) => slot.message);
  const edits = createEdits();
  const nameless = new Set<number>();
  for (const { message, part } of repeatedItems(messages, rules)) {
    const found = part === undefined ? undefined : messages[message]?.parts[part];
    if (part === undefined) nameless.add(message);
    else edits.set({ message, part }, found && found.type !== 'thinking' ? withoutId(found) : undefined);
    const deed =
      found?.type === 'thinking' ? 'Dropped reasoning that was there before.' : 'Took a repeated id off an item.';
    repairs.push({ code: 'duplicate-item', message: deed, at: { message: slots[message]?.from ?? 0 } });
  }
  if (nameless.size + edits.size === 0) return slots;
  const renamed = slots.map((slot, at) => (nameless.has(at) ? { ...slot, message: withoutId(slot.message) } : slot));
  return edited(renamed, edits);
};

/** The same message or part without the id under which its provider stored it. */
export function withoutId<T extends Message | Part>(value: T): T {
  if (value.wire?.fields?.id === undefined) return value;
  const { id: _, ...fields } = value.wire.fields;
  return { ...value, wire: { ...value.wire, fields } };
}
