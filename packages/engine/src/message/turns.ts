import type { Message } from './message.ts';

/** A stretch of a message list: from `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** One answer of the model with the results of its calls. */
export interface Round extends Range {
  /** Where the results begin; equal to `end` when the answer made no calls or none was answered. */
  readonly results: number;
}

/** From what somebody said to the model up to the next time somebody did. */
export interface Turn extends Range {
  readonly rounds: readonly Round[];
}

/**
 * The turns of a list and the rounds inside them. A turn begins with a message that says something to the model (user
 * text, not only tool results); leading system messages belong to the first turn. Nothing of this is stored: it is read
 * off the list each time.
 *
 * @example
 * const last = turns(messages).at(-1);
 * console.log(`${last?.rounds.length} model calls since the last instruction`);
 */
export function turns(messages: readonly Message[]): Turn[] {
  const head = messages.findIndex((message) => message.role !== 'system');
  const starts = messages.flatMap((message, index) =>
    // Several user messages in a row are one request.
    index > head && speaks(message) && !speaks(messages[index - 1]) ? [index] : [],
  );
  if (messages.length > 0) starts.unshift(0);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? messages.length;
    return { start, end, rounds: roundsIn(messages, { start, end }) };
  });
}

function speaks(message: Message | undefined): boolean {
  return message?.role === 'user' && !message.parts.every((part) => part.type === 'tool_result');
}

function roundsIn(messages: readonly Message[], { start, end }: Range): Round[] {
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
function lastResult(messages: readonly Message[], { start, end }: Range): number {
  for (let index = end; index > start; index -= 1) {
    if (messages[index - 1]?.parts.some((part) => part.type === 'tool_result')) return index;
  }
  return start;
}
