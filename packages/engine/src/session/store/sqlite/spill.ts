import { isArray, isObject, type Json } from '../../../json.ts';

/** The path of a string inside a JSON value. */
export type JsonPath = readonly (string | number)[];

/** A long string taken out of a value. */
export interface Spilled {
  readonly place: JsonPath;
  readonly text: string;
}

/** Strings at least this long lie in files of their own, so that the log stays small and quick to read. */
export const spillLength = 32_768;

/**
 * The long strings of a value, and the value with `''` in their places. The positions are kept separately from the value, not as
 * markers in it, so that no content can be mistaken for a marker.
 */
export function spill(value: Json): { readonly value: Json; readonly spilled: readonly Spilled[] } {
  const spilled: Spilled[] = [];
  const walk = (node: Json, place: JsonPath): Json => {
    if (typeof node === 'string') {
      // UTF-8 has no lone surrogates; JSON escapes them, so such strings stay in the log.
      if (node.length < spillLength || !node.isWellFormed()) return node;
      spilled.push({ place, text: node });
      return '';
    }
    if (isArray(node)) return node.map((item, index) => walk(item, [...place, index]));
    if (!isObject(node)) return node;
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, member]) =>
        member === undefined ? [] : [[key, walk(member, [...place, key])] as const],
      ),
    );
  };
  return { value: walk(value, []), spilled };
}

/** Puts the strings back into a value fresh from `JSON.parse`, which may be modified. */
export function unspill({
  value,
  spilled,
}: {
  readonly value: unknown;
  readonly spilled: readonly Spilled[];
}): unknown {
  for (const { place, text } of spilled) {
    let node = value as Record<string | number, unknown>;
    for (const key of place.slice(0, -1)) node = node[key] as Record<string | number, unknown>;
    const last = place.at(-1);
    if (last !== undefined) node[last] = text;
  }
  return value;
}
