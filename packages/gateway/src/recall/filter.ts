import type { JsonObject } from 'longhaul/message';

/** The tool by which the model reads what was compacted away. The client never sees it. */
export const recallName = 'longhaul_recall';

/** One event of a stream. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/**
 * Turns the streams of several rounds with the provider into the one stream that the client asked for: calls of the
 * recall tool are left out, positions are counted through, and the end is held back until the last round.
 */
export interface RoundFilter {
  /** What the client gets for an event. */
  event(event: StreamEvent): readonly StreamEvent[];
  /** The stream of the next round begins; what ended the last one is not sent. */
  nextRound(): readonly StreamEvent[];
  /** What was held back, after the last round. */
  end(): readonly StreamEvent[];
}

/** An event as text. */
export function eventText({ event, data }: StreamEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}

/**
 * Adds up the token counts of several rounds, with all their details.
 *
 * @example
 * sumCounts([{ input_tokens: 1 }, { input_tokens: 2 }]); // { input_tokens: 3 }
 */
export function sumCounts(counts: readonly JsonObject[]): JsonObject {
  const sum: Record<string, JsonObject[string]> = {};
  for (const one of counts)
    for (const [name, value] of Object.entries(one)) {
      const before = sum[name];
      if (typeof value === 'number' && typeof before === 'number') sum[name] = before + value;
      else if (isCounts(value) && isCounts(before)) sum[name] = sumCounts([before, value]);
      else sum[name] = value;
    }
  return sum;
}

function isCounts(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
