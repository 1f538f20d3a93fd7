import { canonical, isArray, isObject, type Json, type JsonObject, sameJson } from '../json.ts';

/**
 * Whether two wire items of one dialect say the same. What clients change between two requests without meaning anything
 * does not count: where the cache markers are, whether one text is a string or a list of one block, and the
 * order of members. Everything else does.
 *
 * @example
 * sameItem(
 *   { role: 'user', content: 'hello' },
 *   { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }] },
 * ); // true
 */
export function sameItem(a: Json, b: Json): boolean {
  return sameJson(normalizeItem(a), normalizeItem(b));
}

/**
 * A text that is equal for two items exactly if they say the same, so that lists of them can be hashed.
 *
 * @example
 * itemKey({ role: 'user', content: 'hello' }) === itemKey({ content: [{ type: 'text', text: 'hello' }], role: 'user' });
 */
export function itemKey(item: Json): string {
  return JSON.stringify(canonical(normalizeItem(item)));
}

/** Members that hold blocks: of a message, of a tool result inside one, and of a Responses function output. */
const blockLists = ['content', 'output'] as const;

function normalizeItem(item: Json): Json {
  if (!isObject(item)) return item;
  const { cache_control: _, ...rest } = item;
  const result: Record<string, Json | undefined> = { ...rest };
  for (const key of blockLists) {
    const value = item[key];
    if (typeof value === 'string') result[key] = [{ type: 'text', text: value }];
    else if (isArray(value)) result[key] = value.map(normalizeBlock);
  }
  return result;
}

function normalizeBlock(block: Json): Json {
  const value = normalizeItem(block);
  return isObject(value) ? plainText(value) : value;
}

/** The Responses API has two names for what a string means; only a bare text is equal to a string. */
function plainText(block: JsonObject): JsonObject {
  const isText = block.type === 'input_text' || block.type === 'output_text';
  return isText && Object.keys(block).length === 2 ? { ...block, type: 'text' } : block;
}
