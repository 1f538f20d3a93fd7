import type { Message } from './message.ts';

/**
 * Whether a person wrote in this message. Tool results, reminders, summaries and the prompts that one model gives another
 * are not human.
 *
 * @example
 * const last = messages.findLastIndex(isHumanMessage);
 */
export function isHumanMessage({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type, origin }) => type !== 'tool_result' && origin === 'human');
}

/**
 * Whether this message gives the model something to respond to besides tool results: the words of a person, or, in the
 * session of a sub-agent, of the model that started it. Reminders of the engine or a client do not.
 *
 * @example
 * isPrompt({ role: 'user', parts: [{ type: 'text', origin: 'model', text: 'Find the failing test.' }] }); // true
 */
export function isPrompt({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type, origin }) => type !== 'tool_result' && origin !== 'engine');
}

/**
 * Whether this message has nothing but the words of the engine or a client: system messages and reminders.
 *
 * @example
 * isEngineMessage({ role: 'user', parts: [{ type: 'text', origin: 'engine', text: 'Date: 2026-01-01' }] }); // true
 */
export function isEngineMessage({ role, parts }: Message): boolean {
  return role === 'system' || (role === 'user' && parts.every(({ origin }) => origin === 'engine'));
}
