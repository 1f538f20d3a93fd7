import { isSent } from '../codecs/sent.ts';
import { native } from '../codecs/wire.ts';
import type { Dialect, Message, Part, ToolCallPart, ToolResultPart } from '../message.ts';
import { repairCacheMarks } from './cache-marks.ts';
import { isEmpty, isMisnamed, repetitions } from './check.ts';
import { createEdits, type Edits, edited } from './edits.ts';
import type { MessageGroup } from './groups.ts';
import { repairItemIds, withoutId } from './item-ids.ts';
import { isPaused, isSystemInPlace, lateThinking, orphanThinking, unsignedCalls } from './order.ts';
import { type PairedCall, type PairedResult, pair } from './pairing.ts';
import {
  belongs,
  faultsOfPart,
  isEmptyError,
  isItem,
  isRejectedText,
  isUnsigned,
  isUnsupported,
  type PartFault,
} from './parts.ts';
import type { ProblemCode, Repair } from './problem.ts';
import { repairMembers } from './repair-members.ts';
import { rulesFor, type ValidityRules } from './rules.ts';
import { type MessageSlot, type RepairInput, type RepairStep, SoundMessages, slotGroups } from './slot.ts';
import { inForm, wellFormed } from './strings.ts';

/** Mends the order of turns, one kind of fault at a time: each fix changes what the next one sees. */
const repairOrder: RepairStep = (input) =>
  faults.reduce<readonly MessageSlot[]>((slots, repairFault) => repairFault({ ...input, slots }), input.slots);

const dropEmpty: RepairStep = ({ slots, dialect, repairs }) => {
  const kept = slots.filter(({ message, from }) => {
    if (!isEmpty(message, dialect)) return true;
    repairs.push({ code: 'empty-message', message: 'Dropped a message without content.', at: { message: from } });
    return false;
  });
  return kept.length === slots.length ? slots : kept;
};

const demoteSystem: RepairStep = (input) => {
  const { slots, repairs } = input;
  const groups = slotGroups(input);
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

const dropThinking: RepairStep = (input) => {
  const { slots, dialect, rules, repairs } = input;
  const groups = slotGroups(input);
  const edits = createEdits();
  const widowed = new Set<number>();
  for (const group of groups) {
    const late = lateThinking(group, rules);
    const code = late.length > 0 ? 'misplaced-thinking' : 'trailing-thinking';
    const what = late.length > 0 ? 'that follows the answer' : 'that nothing follows';
    for (const { at } of late.length > 0 ? late : orphanThinking(group, rules)) {
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

/** Everything before the first human message is removed at once: an answer without its question leaves only orphans. */
const dropLeadingAnswers: RepairStep = (input) => {
  const groups = slotGroups(input);
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

const dropTrailingAnswers: RepairStep = (input) => {
  const groups = slotGroups(input);
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

const addPlaceholderSignatures: RepairStep = (input) => {
  const { slots, dialect, rules, repairs } = input;
  if (!rules.signedCalls) return slots;
  const messages = slots.map(({ message }) => message);
  const unsigned = new Set(unsignedCalls(slotGroups(input), messages).map(({ at }) => at.message));
  return slots.map((slot, index) => {
    if (!unsigned.has(index) || native(slot.message, dialect) === undefined) return slot;
    const message = 'Sent an unsigned call as one of another model, which needs no signature.';
    repairs.push({ code: 'unsigned-call', message, at: { message: slot.from } });
    return { ...slot, message: withoutWire(slot.message) };
  });
};

const faults: readonly RepairStep[] = [
  demoteSystem,
  dropThinking,
  dropEmpty,
  dropLeadingAnswers,
  dropTrailingAnswers,
  addPlaceholderSignatures,
];

function dropGroups(
  input: RepairInput & {
    readonly groups: readonly MessageGroup[];
    readonly code: ProblemCode;
    readonly message: string;
  },
): readonly MessageSlot[] {
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

/** Gives every call its one result, in the place where the provider looks for it, and drops results of no call. */
const repairPairs: RepairStep = (input) => {
  const { slots, dialect, rules, repairs } = input;
  const messages = slots.map((slot) => slot.message);
  const groups = slotGroups(input);
  const { calls, results } = pair({ groups, rules });
  const edits = createEdits();
  const added = new Map<number, Part[]>();
  const at = (index: number) => ({ message: slots[index]?.from ?? 0 });

  for (const { fault, at: place } of results) {
    if (fault !== 'orphaned-result' && fault !== 'duplicate-result') continue;
    edits.set(place, undefined);
    const what = fault === 'orphaned-result' ? 'of a call that is not there' : 'of a call that was answered before';
    repairs.push({ code: fault, message: `Dropped a result ${what}.`, at: at(place.message) });
  }
  for (const [call, count] of repetitions(calls, rules)) {
    const id = suffixed(call.part.id, count, rules.callId.maxLength);
    edits.set(call.at, { ...call.part, id });
    if (call.result) edits.set(call.result.at, { ...call.result.part, callId: id });
    repairs.push({
      code: 'duplicate-call',
      message: 'Gave a repeated call an id of its own.',
      at: at(call.at.message),
    });
  }
  for (const call of calls) {
    if (!call.result || !isMisnamed(call, dialect)) continue;
    edits.set(call.result.at, { ...edits.result(call.result), name: call.part.name });
    repairs.push({
      code: 'bad-tool-name',
      message: "Gave a result its call's tool name.",
      at: at(call.result.at.message),
    });
  }
  for (const batch of brokenBatches(calls)) {
    const asked = groups[batch[0]?.group ?? 0]?.messages.at(-1) ?? 0;
    const open = batch.filter((call) => !call.result);
    const made = open.map((call) => madeResult(edits.call(call)));
    for (const { part, at: place } of open) {
      const message = `Added "${noResult}" for the call ${part.id} of ${part.name}.`;
      repairs.push({ code: 'unanswered-call', message, at: at(place.message) });
    }
    const isInPlace = batch.every((call) => !call.result?.fault);
    if (rules.results === 'later') {
      if (made.length > 0) added.set(asked, made);
    } else if (isInPlace) {
      completeBatch({ batch, made, messages, edits, added, asked });
    } else {
      added.set(asked, gatheredBatch({ batch, edits, repairs, at }));
    }
  }
  return edits.size + added.size === 0 ? slots : edited(slots, edits, added);
};

/** What is there stays where it is; only what is missing is put behind it. */
function completeBatch(input: {
  readonly batch: readonly PairedCall[];
  readonly made: readonly ToolResultPart[];
  readonly messages: readonly Message[];
  readonly edits: Edits;
  readonly added: Map<number, Part[]>;
  readonly asked: number;
}): void {
  const { batch, made, messages, edits, added, asked } = input;
  const last = batch
    .flatMap((call) => call.result ?? [])
    .sort(byPlace)
    .at(-1);
  if (!last) added.set(asked, [...made]);
  else if (messages[last.at.message]?.role === 'tool') added.set(last.at.message, [...made]);
  else edits.follow(last.at, [edits.result(last), ...made]);
}

/** All results of the batch in one message behind the calls, in the order of the calls. */
function gatheredBatch(input: {
  readonly batch: readonly PairedCall[];
  readonly edits: Edits;
  readonly repairs: Repair[];
  readonly at: (index: number) => Repair['at'];
}): Part[] {
  const { batch, edits, repairs, at } = input;
  return batch.map((call) => {
    if (!call.result) return madeResult(edits.call(call));
    const part = edits.result(call.result);
    edits.set(call.result.at, undefined);
    const { fault } = call.result;
    if (fault) repairs.push({ code: fault, message: 'Moved a result to its call.', at: at(call.result.at.message) });
    return part;
  });
}

function byPlace(a: PairedResult, b: PairedResult): number {
  return a.at.message - b.at.message || a.at.part - b.at.part;
}

/** The calls of each answer of which at least one has no result, or one in the wrong place. */
function brokenBatches(calls: readonly PairedCall[]): PairedCall[][] {
  const batches = Map.groupBy(calls, (call) => call.group);
  return [...batches.values()].filter((batch) => batch.some((call) => !call.result || call.result.fault));
}

function madeResult(call: ToolCallPart): ToolResultPart {
  // Gemini's calls may go without an id; then the result must, too.
  const hasNoId = native(call, 'gemini')?.form?.split(' ').includes('no-id') ?? false;
  return {
    type: 'tool_result',
    origin: 'engine',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', origin: 'engine', text: noResult }],
    ...(hasNoId && { wire: { dialect: 'gemini', form: 'no-id' } }),
  };
}

function suffixed(id: string, count: number, maxLength: number): string {
  const suffix = `_${count}`;
  return `${id.slice(0, maxLength - suffix.length)}${suffix}`;
}

const soundParts = new SoundMessages();

/** Mends what is wrong with parts by themselves. */
const repairParts: RepairStep = (input) =>
  soundParts.map(input, (slot) => {
    const { dialect, rules, repairs } = input;
    const { message, from } = slot;
    let isChanged = false;
    const parts = message.parts.flatMap((part): readonly Part[] => {
      const faults = isSent(part, dialect) ? faultsOfPart({ part, message, dialect, rules }) : [];
      if (faults.length === 0) return [part];
      isChanged = true;
      repairs.push(
        ...faults.map((fault) => ({ code: fault.code, message: describeRepair(fault), at: { message: from } })),
      );
      return repairPart({ part, message, dialect, rules });
    });
    return isChanged ? { message: { ...message, parts }, from } : slot;
  });

function repairPart(input: {
  readonly part: Part;
  readonly message: Message;
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
}): readonly Part[] {
  const { part, message, dialect, rules } = input;
  if (!isItem(part, message) || !belongs(part, message, rules) || isRejectedText(part, dialect, rules)) return [];
  if (isUnsupported(part, rules) || isUnsigned(part, rules)) return [];
  const clean = wellFormed(part);
  if (clean.type === 'tool_call') {
    return [{ ...clean, id: inForm(clean.id, rules.callId), name: inForm(clean.name, rules.toolName) }];
  }
  return [clean.type === 'tool_result' ? repairResult(clean, dialect, rules) : clean];
}

function repairResult(part: ToolResultPart, dialect: Dialect, rules: ValidityRules): ToolResultPart {
  const name = part.name === undefined ? {} : { name: inForm(part.name, rules.toolName) };
  const content = part.content.filter((nested) => !isUnsupported(nested, rules));
  const repaired = { ...part, ...name, callId: inForm(part.callId, rules.callId), content };
  if (!isEmptyError(repaired, dialect, rules)) return repaired;
  const { wire: _, ...plain } = repaired;
  return { ...plain, content: [{ type: 'text', origin: 'engine', text: noResult }] };
}

const repairDescriptions: Partial<Record<ProblemCode, string>> = {
  'bad-call-id': 'Rewrote the call id in a form that is accepted.',
  'bad-tool-name': 'Rewrote the tool name in a form that is accepted.',
  'empty-result': 'Put "no result recorded" into an error that said nothing.',
  'not-a-message': 'Dropped an entry that is no message.',
  'empty-text': 'Dropped a text without content.',
  'lone-surrogate': 'Replaced half of a surrogate pair by U+FFFD.',
  'unsigned-thinking': 'Dropped reasoning without proof of where it came from.',
  'unsupported-media': 'Dropped a file of a type that is not taken.',
};

function describeRepair(fault: PartFault): string {
  return repairDescriptions[fault.code] ?? `Dropped it: ${fault.message}`;
}

/**
 * The list in a form the provider takes, and what was done to get there. A legal list comes back as it is. Nothing is
 * invented: parts are dropped or moved, names put into the provider's form, and a call without a result gets the fixed
 * result "no result recorded". What cannot be mended without inventing stays (see `check` on the result): a list in
 * which no user speaks, and thinking that is missing where the request has it on.
 *
 * What is found of a message is remembered for later lists with it: make a new message in place of changing one.
 *
 * @example
 * const { messages: legal, repairs } = repair(messages, 'openai-chat');
 */
export function repair(
  messages: readonly Message[],
  provider: Dialect,
  overrides: Partial<ValidityRules> = {},
): { readonly messages: Message[]; readonly repairs: Repair[] } {
  const rules = rulesFor(provider, overrides);
  const repairs: Repair[] = [];
  const grouped = { groups: [] };
  let slots: readonly MessageSlot[] = messages.map((message, from) => ({ message, from }));
  // Each step may uncover work for another: a dropped answer leaves orphans. Every round drops or settles something.
  for (let round = 0; round <= messages.length + 8; round += 1) {
    const before = repairs.length;
    for (const step of steps) slots = step({ slots, dialect: provider, rules, repairs, grouped });
    if (repairs.length === before) break;
  }
  return { messages: slots.map((slot) => slot.message), repairs };
}

const steps: readonly RepairStep[] = [
  repairMembers,
  repairParts,
  repairItemIds,
  repairCacheMarks,
  repairPairs,
  repairOrder,
];

/** The one thing repair may add, where a call has no result or an error says nothing. */
const noResult = 'no result recorded';
