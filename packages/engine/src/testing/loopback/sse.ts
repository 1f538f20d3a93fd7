import type { JsonRecord } from '../judge/json.ts';

/** One server-sent event; Anthropic and Responses name theirs, Chat Completions and Gemini do not. */
export function event({ name, data }: { name?: string; data: JsonRecord | string }): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** Unnamed events as one streamed JSON array: Gemini without `alt=sse`. */
export function asArray(events: readonly string[]): string[] {
  const pieces = events.map((each, at) => `${at === 0 ? '[' : ',\r\n'}${each.slice('data: '.length).trimEnd()}`);
  return [...pieces, ']'];
}
