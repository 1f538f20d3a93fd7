import type { Message, Part } from '../message/index.ts';

/**
 * The places of the pending input: every human message and every tool result that no answer of the model has followed
 * yet. What the engine itself says (summaries, reminders) is not input.
 *
 * @example
 * const pending = pendingInput({ messages });
 * if (pending.has(messages.length - 1)) console.log('the last message waits for an answer');
 */
export function pendingInput({
  messages,
  headCount = 0,
}: {
  readonly messages: readonly Message[];
  /** Leading messages that belong to the head. */
  readonly headCount?: number;
}): ReadonlySet<number> {
  const answered = messages.findLastIndex(({ role, parts }) => role === 'assistant' && parts.length > 0);
  const places = messages.flatMap((message, index) =>
    index >= headCount && index > answered && isInput(message) ? [index] : [],
  );
  return new Set(places);
}

/**
 * The pending input, and the messages without which it would not be legal: answers with the calls of pending results, and
 * the other results of those calls.
 *
 * @example
 * const bound = countMessage([...withCalls({ messages, pending })].map((index) => messages[index]));
 */
export function withCalls({
  messages,
  pending,
}: {
  readonly messages: readonly Message[];
  readonly pending: ReadonlySet<number>;
}): ReadonlySet<number> {
  const waiting = new Set([...pending].flatMap((index) => resultsIn(messages[index]?.parts)));
  if (waiting.size === 0) return pending;
  const needed = new Set(pending);
  const called = new Set<string>();
  messages.forEach(({ parts }, index) => {
    const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
    if (calls.some((id) => waiting.has(id))) {
      needed.add(index);
      for (const id of calls) called.add(id);
    } else if (resultsIn(parts).some((id) => called.has(id))) needed.add(index);
  });
  return needed;
}

function resultsIn(parts: readonly Part[] = []): string[] {
  return parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []));
}

function isInput({ role, parts }: Message): boolean {
  if (role !== 'user' && role !== 'tool') return false;
  return parts.some(({ type, origin }) => type === 'tool_result' || origin !== 'engine');
}
