import { native } from '../codecs/wire.ts';
import type { Dialect, Message, Part, Role, Wire } from '../message.ts';
import type { Problem } from './problem.ts';
import { type RepairStep, SoundMessages } from './slot.ts';
import { isWellFormedJson, wellFormedJson } from './strings.ts';

/** Messages that carry members their provider refuses. */
export function memberProblems(messages: readonly Message[], dialect: Parameters<typeof withoutRefused>[1]): Problem[] {
  return messages.flatMap((message, index): Problem[] => {
    const at = { message: index };
    const isHalved = !isWellFormedJson(message.wire?.fields);
    return [
      ...(withoutRefused(message, dialect) === message
        ? []
        : [{ code: 'refused-member', message: 'The message carries members that the provider refuses.', at } as const]),
      ...(isHalved
        ? [{ code: 'lone-surrogate', message: 'A member holds half of a surrogate pair.', at } as const]
        : []),
    ];
  });
}

const sound = new SoundMessages();

export const repairMembers: RepairStep = (input) =>
  sound.map(input, (slot) => {
    const { dialect, repairs } = input;
    const { from } = slot;
    let { message } = slot;
    if (!isWellFormedJson(message.wire?.fields)) {
      message = { ...message, ...(message.wire && { wire: wellFormedJson(message.wire) }) };
      repairs.push({
        code: 'lone-surrogate',
        message: 'Replaced half of a surrogate pair by U+FFFD.',
        at: { message: from },
      });
    }
    const repaired = withoutRefused(message, dialect);
    if (repaired !== message) {
      repairs.push({
        code: 'refused-member',
        message: 'Left out members that the provider refuses.',
        at: { message: from },
      });
    }
    return repaired === slot.message ? slot : { message: repaired, from };
  });

/**
 * Members that came with a message and that its provider refuses. They are no part of what is said, so leaving them out
 * mends it: each function gives the same value without them, and the same object where there is nothing to leave out.
 */
function withoutRefused(message: Message, dialect: Dialect): Message {
  const parts = message.parts.map((part) => repairPartMembers(part, message.role, dialect));
  const isSame = parts.every((part, index) => part === message.parts[index]);
  return repairMessageMembers(isSame ? message : { ...message, parts }, dialect);
}

function repairMessageMembers(message: Message, dialect: Dialect): Message {
  const wire = native(message, dialect);
  if (!wire || wire.form === 'item') return message;
  const { fields } = wire;
  if (dialect === 'anthropic') {
    // "messages.0.id: Extra inputs are not permitted": agents log answers with their id, model and usage.
    return withFields(message, wire, (key) => key === 'output_config');
  }
  if (dialect === 'openai-chat' && fields?.tool_calls !== undefined) {
    // "Invalid 'messages[1].tool_calls': empty array."
    return withFields(message, wire, (key) => key !== 'tool_calls');
  }
  if (dialect === 'openai-responses' && !isItemId(fields?.id, 'msg_'))
    return withFields(message, wire, (key) => key !== 'id');
  return message;
}

function repairPartMembers(part: Part, role: Role, dialect: Dialect): Part {
  const wire = native(part, dialect);
  if (!wire) return part;
  switch (part.type) {
    case 'thinking':
      // "cache_control cannot be set for thinking blocks"
      return dialect === 'anthropic' && part.cache ? withoutCache(part) : part;
    case 'tool_call':
      // "tool_use.input: Input should be a valid dictionary"; "Missing required parameter: 'messages[1].tool_calls[0].type'."
      if (wire.form === 'value' || wire.form === 'untyped') return withoutForm(part, wire);
      return isItemId(wire.fields?.id, part.freeform ? 'ctc_' : 'fc_') ? part : dropId(part, wire, dialect);
    case 'tool_result':
      return dialect === 'anthropic' && wire.form === 'null' ? withoutForm(part, wire) : part;
    case 'text': {
      // "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
      const isMistyped = dialect === 'openai-responses' && role === 'assistant' && wire.fields?.type !== undefined;
      return isMistyped ? withFields(part, wire, (key) => key !== 'type') : part;
    }
    default:
      return part;
  }
}

/** Ids that the Responses API gives begin with their kind; "Expected an ID that begins with 'msg'." */
function isItemId(id: unknown, prefix: string): boolean {
  return (
    id === undefined || (typeof id === 'string' && id.startsWith(prefix) && id.length <= 64 && /^[\w-]+$/.test(id))
  );
}

function dropId(part: Part, wire: Wire, dialect: Dialect): Part {
  return dialect === 'openai-responses' ? withFields(part, wire, (key) => key !== 'id') : part;
}

function withFields<T extends Message | Part>(value: T, wire: Wire, keeps: (key: string) => boolean): T {
  const all = Object.entries(wire.fields ?? {});
  const kept = all.filter(([key]) => keeps(key));
  if (kept.length === all.length) return value;
  const { fields: _, ...rest } = wire;
  return { ...value, wire: kept.length > 0 ? { ...rest, fields: Object.fromEntries(kept) } : rest };
}

function withoutForm(part: Part, wire: Wire): Part {
  const { form: _, ...rest } = wire;
  return { ...part, wire: rest };
}

function withoutCache(part: Part): Part {
  const { cache: _, ...rest } = part;
  return rest;
}
