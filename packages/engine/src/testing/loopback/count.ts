import { isArray, isObject } from '../judge/json.ts';
import type { CacheUnit } from './units.ts';

/** Cost of an image, whatever its size: about one megapixel. */
const imageTokens = 1200;
/** Fields with structure, ids and seals, which a model does not read. */
const uncountedKeys = new Set([
  ...['type', 'role', 'status', 'phase', 'id', 'call_id', 'tool_use_id', 'tool_call_id', 'cache_control'],
  ...['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content', 'data'],
]);
/** Fields whose value is read as JSON. */
const asJson = new Set(['input', 'args', 'response', 'input_schema', 'parameters', 'parametersJsonSchema', 'schema']);

export type CountFunction = (text: string) => number;

/** Cumulative token counts: the n-th is the size of the first n units. */
export function sumsOf({
  units,
  count,
  skew,
}: {
  units: readonly CacheUnit[];
  count: CountFunction;
  skew: number;
}): number[] {
  let sum = 0;
  return units.map(({ value }) => {
    const read = readOf(value);
    sum += count(read.text) + read.images * imageTokens;
    return Math.ceil(sum * skew);
  });
}

/** What a model reads of a part of a request. */
function readOf(value: unknown): { text: string; images: number } {
  if (typeof value === 'string') return { text: value, images: 0 };
  if (isArray(value)) return join(value.map(readOf));
  if (!isObject(value)) return { text: '', images: 0 };
  if (value.type === 'image' || value.type === 'image_url' || value.type === 'input_image' || value.inlineData)
    return { text: '', images: 1 };
  return join(
    Object.entries(value)
      .filter(([key]) => !uncountedKeys.has(key))
      .map(([key, each]) =>
        asJson.has(key) && isObject(each) ? { text: JSON.stringify(each), images: 0 } : readOf(each),
      ),
  );
}

function join(parts: readonly { text: string; images: number }[]): { text: string; images: number } {
  return {
    text: parts.map(({ text }) => text).join(''),
    images: parts.reduce((sum, { images }) => sum + images, 0),
  };
}
