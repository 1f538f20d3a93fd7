import { native } from '../codecs/wire.ts';
import type { Message } from '../message.ts';
import { isEmpty } from './check.ts';
import { createEdits, edited } from './edits.ts';
import { type Group, groupsOf } from './groups.ts';
import { withoutId } from './item-ids.ts';
import { isPaused, isSystemInPlace, lateThinking, strandedThinking, unsignedCalls } from './order.ts';
import type { ProblemCode } from './problem.ts';
import type { Slot, Step } from './slot.ts';

/** Mends the order of turns, one kind of fault at a time: each fix changes what the next one sees. */
export const mendOrder: Step = (input) =>
  faults.reduce<readonly Slot[]>((slots, mend) => mend({ ...input, slots }), input.slots);

const dropEmpty: Step = ({ slots, dialect, repairs }) =>
  slots.filter(({ message, from }) => {
    if (!isEmpty(message, dialect)) return true;
    repairs.push({ code: 'empty-message', message: 'Dropped a message without content.', at: { message: from } });
    return false;
  });

const demoteSystem: Step = ({ slots, dialect, rules, repairs }) => {
  const groups = groupsOf({ messages: slots.map(({ message }) => message), dialect, rules });
  const misplaced = new Set(
    groups.flatMap((group, index) =>
      group.kind === 'system' && !isSystemInPlace(groups, index) ? group.messages : [],
    ),
  );
  if (misplaced.size === 0) return slots;
  return slots.map((slot, index) => {
    if (!misplaced.has(index)) return slot;
    const message = 'Sent a system message as a reminder, since none may stand there.';
    repairs.push({ code: 'misplaced-system', message, at: { message: slot.from } });
    return { ...slot, message: withoutWire(slot.message) };
  });
};

const dropThinking: Step = ({ slots, dialect, rules, repairs }) => {
  const groups = groupsOf({ messages: slots.map(({ message }) => message), dialect, rules });
  const edits = createEdits();
  const widowed = new Set<number>();
  for (const group of groups) {
    const late = lateThinking(group, rules);
    const code = late.length > 0 ? 'misplaced-thinking' : 'trailing-thinking';
    const what = late.length > 0 ? 'that stands behind the answer' : 'that nothing follows';
    for (const { at } of late.length > 0 ? late : strandedThinking(group, rules)) {
      edits.set(at, undefined);
      repairs.push({ code, message: `Dropped reasoning ${what}.`, at: { message: slots[at.message]?.from ?? 0 } });
      for (const index of group.messages) widowed.add(index);
    }
  }
  if (edits.size === 0) return slots;
  // "… was provided without its required 'reasoning' item": an answer without its reasoning must not carry its id.
  const isStored = dialect === 'openai-responses';
  const freed = slots.map((slot, at) =>
    isStored && widowed.has(at) ? { ...slot, message: withoutIds(slot.message) } : slot,
  );
  return edited(freed, edits);
};

/** Everything before somebody speaks goes at once: an answer without its question leaves only orphans behind. */
const dropLeadingAnswers: Step = (input) => {
  const groups = groupsOf({ ...input, messages: input.slots.map(({ message }) => message) });
  if (!input.rules.opensWithUser || groups[0]?.kind !== 'assistant') return input.slots;
  const spoken = groups.findIndex(
    ({ kind, entries }) => kind === 'user' && entries.some(({ part }) => part.type !== 'tool_result'),
  );
  const unasked = spoken < 0 ? groups : groups.slice(0, spoken);
  return dropGroups({
    ...input,
    groups: unasked,
    code: 'not-opened-by-user',
    message: 'Dropped what stood before any question.',
  });
};

const dropTrailingAnswers: Step = (input) => {
  const groups = groupsOf({ ...input, messages: input.slots.map(({ message }) => message) });
  const last = groups.at(-1);
  if (input.rules.endsWithAssistant || last?.kind !== 'assistant' || isPaused(last)) return input.slots;
  // Its calls get results in the next round, and then it no longer trails.
  if (last.entries.some(({ part }) => part.type === 'tool_call')) return input.slots;
  return dropGroups({
    ...input,
    groups: [last],
    code: 'trailing-assistant',
    message: 'Dropped an answer that nothing follows.',
  });
};

const standInForSignatures: Step = ({ slots, dialect, rules, repairs }) => {
  if (!rules.signedCalls) return slots;
  const messages = slots.map(({ message }) => message);
  const groups = groupsOf({ messages, dialect, rules });
  const unsigned = new Set(unsignedCalls(groups, messages).map(({ at }) => at.message));
  return slots.map((slot, index) => {
    if (!unsigned.has(index) || native(slot.message, dialect) === undefined) return slot;
    const message = 'Sent an unsigned call as one of another model, which needs no signature.';
    repairs.push({ code: 'unsigned-call', message, at: { message: slot.from } });
    return { ...slot, message: withoutWire(slot.message) };
  });
};

const faults: readonly Step[] = [
  demoteSystem,
  dropThinking,
  dropEmpty,
  dropLeadingAnswers,
  dropTrailingAnswers,
  standInForSignatures,
];

function dropGroups(
  input: Parameters<Step>[0] & {
    readonly groups: readonly Group[];
    readonly code: ProblemCode;
    readonly message: string;
  },
): readonly Slot[] {
  const { slots, groups, code, message, repairs } = input;
  const dropped = new Set(groups.flatMap((group) => group.messages));
  for (const index of dropped) repairs.push({ code, message, at: { message: slots[index]?.from ?? 0 } });
  return slots.filter((_, index) => !dropped.has(index));
}

function withoutWire(message: Message): Message {
  const { wire: _, ...rest } = message;
  return rest;
}

function withoutIds(message: Message): Message {
  return withoutId({
    ...message,
    parts: message.parts.map((part) => (part.type === 'thinking' ? part : withoutId(part))),
  });
}
