import { isEngineMessage, isPrompt } from './human.ts';
import type { Message } from './message.ts';

/** A stretch of a message list: from `start` up to, not including, `end`. */
export interface MessageRange {
  readonly start: number;
  readonly end: number;
}

/** One answer of the model with the results of its calls. */
export interface Round extends MessageRange {
  /** Where the results begin; equal to `end` when the answer made no calls or none was answered. */
  readonly results: number;
}

/** From one human message to the next. */
export interface Turn extends MessageRange {
  readonly rounds: readonly Round[];
}

/**
 * The turns of a list and the rounds inside them. A turn begins with a human message, including the
 * reminders just before it; tool results, text next to tool results and reminders alone do not begin one, so no turn separates a call
 * from its result. Nothing of this is stored: it is read off the list each time.
 *
 * @example
 * const last = turns(messages).at(-1);
 * console.log(`${last?.rounds.length} model calls since the last instruction`);
 */
export function turns(messages: readonly Message[]): Turn[] {
  const starts = messages.length > 0 ? [0] : [];
  let spoken = false;
  let quiet = 0;
  for (const [index, message] of messages.entries()) {
    // Several user messages in a row are one request, also with reminders between them.
    if (startsTurn(message)) {
      if (!spoken && quiet > 0) starts.push(quiet);
      spoken = true;
    } else if (!isEngineMessage(message)) {
      spoken = false;
      quiet = index + 1;
    }
  }
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? messages.length;
    return { start, end, rounds: roundsIn(messages, { start, end }) };
  });
}

/** Words next to tool results are steering within a round, not a new request. */
function startsTurn(message: Message): boolean {
  return isPrompt(message) && !message.parts.some(({ type }) => type === 'tool_result');
}

function roundsIn(messages: readonly Message[], { start, end }: MessageRange): Round[] {
  const rounds: Round[] = [];
  let index = start;
  while (index < end) {
    if (messages[index]?.role !== 'assistant') {
      index += 1;
      continue;
    }
    const from = index;
    while (index < end && messages[index]?.role === 'assistant') index += 1;
    const results = index;
    while (index < end && messages[index]?.role !== 'assistant') index += 1;
    const to = lastResult(messages, { start: results, end: index });
    rounds.push({ start: from, results, end: to });
  }
  return rounds;
}

/** Messages after the last result of a round (steering, reminders) are not part of it. */
function lastResult(messages: readonly Message[], { start, end }: MessageRange): number {
  for (let index = end; index > start; index -= 1) {
    if (messages[index - 1]?.parts.some((part) => part.type === 'tool_result')) return index;
  }
  return start;
}
