import { canonical, type Json, parseJson } from '../json.ts';
import type { ContentPart, Message, Part, ToolCallPart } from './message.ts';
import { isReminder } from './origin.ts';

/**
 * What a conversation says, reduced to what survives when a client rebuilds its history after a restart: texts by role,
 * calls with their id, name and parsed arguments, results with their call's id and text. Reasoning, signatures, item
 * ids, system text, reminders, empty texts and repeated results of one call are left out. One string an event, so that
 * one history extends another exactly when its key starts with the other's.
 *
 * @example
 * const [before, after] = [semanticKey(request1), semanticKey(request2)];
 * const extended = before.every((event, index) => event === after[index]);
 */
export function semanticKey(messages: readonly Message[]): string[] {
  const answered = new Set<string>();
  return messages
    .filter((message) => message.role !== 'system')
    .flatMap((message) => message.parts.flatMap((part) => eventsOf({ part, role: message.role, answered })));
}

function eventsOf(input: { readonly part: Part; readonly role: string; readonly answered: Set<string> }): string[] {
  const { part, role, answered } = input;
  switch (part.type) {
    case 'text':
      return part.text === '' || isReminder(part.text) ? [] : [event('text', role, part.text)];
    case 'image':
    case 'document':
      return [event('media', role, { ...part.source })];
    case 'tool_call':
      return [event('call', part.id, part.name, argumentsOf(part))];
    case 'tool_result': {
      // Gemini CLI sends every result twice after a resume.
      if (answered.has(part.callId)) return [];
      answered.add(part.callId);
      return [event('result', part.callId, textOf(part.content))];
    }
    case 'thinking':
    case 'opaque':
      return [];
  }
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
