import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { Draft, EntryId, EntryType } from '../../session/index.ts';
import { draftProblems } from '../../session/internal.ts';

/**
 * Kinds of entries that pi does not have. They travel in its files as `custom` entries, which pi keeps and does not send,
 * under this prefix.
 */
export const ownPrefix = 'longhaul:';

/** After an id of pi: not the compaction or edit itself is meant, but the epoch that pi makes of it. */
export const epochMark = '+';

/** Members that name other entries. In a file of pi they carry its ids. */
const references: ReadonlySet<string> = new Set(['entry', 'for', 'node', 'after', 'target', 'removes', 'reverses']);

/** Members whose inside names no entry, and is not to be touched. */
const closed: ReadonlySet<string> = new Set(['made', 'notice', 'text', 'details', 'data', 'info', 'price', 'model']);

/** A draft with every id that it names given through `map`; `undefined` when one of them is not known. */
export function mapReferences({
  value,
  map,
}: {
  readonly value: JsonObject;
  readonly map: (id: EntryId) => EntryId | undefined;
}): JsonObject | undefined {
  let complete = true;
  const walk = (item: Json | undefined, key?: string): Json | undefined => {
    if (typeof item === 'string' && key !== undefined && references.has(key)) {
      const mapped = map(item);
      if (mapped === undefined) complete = false;
      return mapped;
    }
    if (Array.isArray(item)) return item.map((inner: Json) => walk(inner) ?? null);
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([name, inner]) => [name, closed.has(name) ? inner : walk(inner, name)]),
    );
  };
  const mapped = walk(value);
  return complete && isObject(mapped) ? mapped : undefined;
}

/** A draft of ours out of a `custom` entry of a file of pi; `undefined` when it is none, or names what is not there. */
export function readOwnKind({
  customType,
  data,
  map,
}: {
  readonly customType: string;
  readonly data: Json | undefined;
  readonly map: (id: string) => EntryId | undefined;
}): Draft | undefined {
  if (!customType.startsWith(ownPrefix) || !isObject(data)) return undefined;
  const mapped = mapReferences({ value: data, map });
  if (!mapped) return undefined;
  const draft = { type: customType.slice(ownPrefix.length) as EntryType, ...mapped };
  return draftProblems(draft).length === 0 ? (draft as Draft) : undefined;
}
