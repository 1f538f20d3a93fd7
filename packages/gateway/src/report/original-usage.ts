import type { Dialect, Json, JsonObject } from 'longhaul/message';
import { isRecord, parseJson } from '../json.ts';
import type { RelayTap } from '../relay.ts';

/**
 * Rewrites the usage in a response so that the client sees the size of the prompt that it made, for `--report original`.
 * Everything else is relayed as it came; an event is held back only until it is whole.
 *
 * @example
 * const tap = originalUsage({ dialect: 'anthropic', isEventStream: true, ratio: 3.2 });
 */
export function originalUsage({
  dialect,
  isEventStream,
  ratio,
}: {
  readonly dialect: Dialect;
  readonly isEventStream: boolean;
  /** How many times larger the client's prompt was than what was sent. */
  readonly ratio: number;
}): Required<Pick<RelayTap, 'rewrite' | 'flush'>> {
  let rest = Buffer.alloc(0);
  return {
    rewrite(chunk) {
      rest = Buffer.concat([rest, chunk]);
      if (!isEventStream) return '';
      // Lines are whole up to the last line feed.
      const end = rest.lastIndexOf(0x0a) + 1;
      const lines = rest.subarray(0, end).toString('utf8');
      rest = rest.subarray(end);
      return lines.replaceAll(/^data: (.*)$/gm, (line, data: string) => {
        if (!data.includes('sage')) return line;
        const scaled = scaleIn({ dialect, text: data, ratio });
        return scaled === undefined ? line : `data: ${scaled}`;
      });
    },
    flush() {
      if (isEventStream) return rest;
      return scaleIn({ dialect, text: rest.toString('utf8'), ratio }) ?? rest;
    },
  };
}

/** The members that count the prompt, and those that count it together with the answer. */
const names: Readonly<Record<Dialect, { readonly prompt: readonly string[]; readonly total: string }>> = {
  anthropic: { prompt: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'], total: '' },
  'openai-chat': { prompt: ['prompt_tokens'], total: 'total_tokens' },
  'openai-responses': { prompt: ['input_tokens'], total: 'total_tokens' },
  gemini: { prompt: ['promptTokenCount'], total: 'totalTokenCount' },
};

function scaleIn({ dialect, text, ratio }: { dialect: Dialect; text: string; ratio: number }): string | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const usage = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, inner]) => [
        key,
        /^usage(Metadata)?$/.test(key) && isRecord(inner) ? scaled({ dialect, usage: inner, ratio }) : inner,
      ]),
    );
  const nested = (inner: Json | undefined) => (isRecord(inner) ? usage(inner) : inner);
  const outer = usage(value);
  return JSON.stringify({
    ...outer,
    ...(outer.message !== undefined && { message: nested(outer.message) }),
    ...(outer.response !== undefined && { response: nested(outer.response) }),
  });
}

function scaled({ dialect, usage, ratio }: { dialect: Dialect; usage: JsonObject; ratio: number }): JsonObject {
  const { prompt, total } = names[dialect];
  const sum = prompt.reduce((all, name) => all + count(usage[name]), 0);
  const added = Math.round(sum * (ratio - 1));
  // What was not sent was not read from a cache either, so it counts as plain input.
  const first = prompt[0] ?? '';
  if (added === 0 || typeof usage[first] !== 'number') return usage;
  return {
    ...usage,
    [first]: count(usage[first]) + added,
    ...(typeof usage[total] === 'number' && { [total]: count(usage[total]) + added }),
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
