import { canonical, type Json, parseJson } from '../json.ts';
import type { ContentPart, Message, Part, ToolCallPart, ToolResultPart } from './message.ts';
import { isReminder } from './origin.ts';

/**
 * What a conversation says, reduced to what survives when a client rebuilds its history after a restart: texts by role,
 * calls with their id, name and parsed arguments, results with their call's id and text. Reasoning, signatures, item
 * ids, system text, reminders, empty texts and repeated results of one call are left out. One string an event, so that
 * one history extends another exactly when its key starts with the other's.
 *
 * @example
 * const before = semanticKey(messages.slice(0, 4));
 * const after = semanticKey(messages);
 * const extended = before.every((event, index) => event === after[index]);
 */
export function semanticKey(messages: readonly Message[]): string[] {
  const read = createSemanticReader();
  return messages.flatMap((message) => read(message));
}

/**
 * The same one message at a time, for a conversation that grows: the events of the next message.
 *
 * @example
 * const read = createSemanticReader();
 * const events = messages.map((message) => read(message));
 */
export function createSemanticReader(): (message: Message) => string[] {
  const calls = createCallMemory();
  return ({ role, parts }) => (role === 'system' ? [] : parts.flatMap((part) => eventOf({ part, role, calls }) ?? []));
}

function eventOf(input: {
  readonly part: Part;
  readonly role: string;
  readonly calls: CallMemory;
}): string | undefined {
  const { part, role, calls } = input;
  switch (part.type) {
    case 'text':
      return part.text === '' || isReminder(part.text) ? undefined : event('text', role, part.text);
    case 'image':
    case 'document':
      return event('media', role, { ...part.source });
    case 'tool_call':
      return event('call', calls.call(part), part.name, argumentsOf(part));
    case 'tool_result': {
      const id = calls.answer(part);
      return id === undefined ? undefined : event('result', id, textOf(part.content));
    }
    case 'opaque':
      return part.kind === 'item_reference' ? event('reference', part.value) : undefined;
    case 'thinking':
      return undefined;
  }
}

interface CallMemory {
  call(part: ToolCallPart): string;
  /** `undefined` for a result that was there before: Gemini CLI sends every result twice after a resume. */
  answer(part: ToolResultPart): string | undefined;
}

function createCallMemory(): CallMemory {
  const answered = new Set<string>();
  const nameless = new Map<string, string>();
  // Gemini's calls may go without an id; then they are known by their order, however the contents are cut.
  const nameOf = (part: ToolCallPart | ToolResultPart, id: string) => {
    if (part.wire?.dialect !== 'gemini' || !part.wire.form?.includes('no-id')) return id;
    const name = nameless.get(id) ?? `#${nameless.size}`;
    nameless.set(id, name);
    return name;
  };
  return {
    call(part) {
      // A model may use an id again for another call, which then gets an answer of its own.
      answered.delete(part.id);
      return nameOf(part, part.id);
    },
    answer(part) {
      if (answered.has(part.callId)) return undefined;
      answered.add(part.callId);
      return nameOf(part, part.callId);
    },
  };
}

function event(...fields: readonly Json[]): string {
  return JSON.stringify(canonical(fields));
}

/** Most clients write the arguments anew, so only their value counts; text that is no JSON counts as it is. */
function argumentsOf(part: ToolCallPart): Json {
  if (part.freeform) return part.arguments;
  return part.arguments.trim() === '' ? {} : (parseJson(part.arguments) ?? part.arguments);
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
