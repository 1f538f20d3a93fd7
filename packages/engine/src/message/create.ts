import type { Message, Origin, ToolResultPart } from './message.ts';

/**
 * A user message with one text, by default written by a person.
 *
 * @example
 * const messages = [user('Fix the failing test')];
 * const reminder = user('Today is Monday.', { origin: 'engine' });
 */
export function user(text: string, { origin = 'human' }: { readonly origin?: Origin } = {}): Message {
  return { role: 'user', parts: [{ type: 'text', origin, text }] };
}

/**
 * An answer of the model with one text.
 *
 * @example
 * const messages = [user('Which port?'), assistant('8080.')];
 */
export function assistant(text: string): Message {
  return { role: 'assistant', parts: [{ type: 'text', origin: 'model', text }] };
}

/**
 * A system message with one text.
 *
 * @example
 * const head = [system('You are a careful engineer.')];
 */
export function system(text: string): Message {
  return { role: 'system', parts: [{ type: 'text', origin: 'engine', text }] };
}

/**
 * The result of a tool call as a message of its own, with one text.
 *
 * @example
 * const message = toolResult({ callId: 'call_1', text: '3 tests passed' });
 */
export function toolResult({
  callId,
  text,
  ...rest
}: {
  /** The `id` of the call that it answers. */
  readonly callId: string;
  readonly text: string;
} & Partial<Pick<ToolResultPart, 'isError'>>): Message {
  const content = [{ type: 'text', origin: 'tool', text }] as const;
  return { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId, content, ...rest }] };
}
