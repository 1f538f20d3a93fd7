import { createHash } from 'node:crypto';
import { canonical, type Json } from '../json.ts';
import type { Entry, EntryId, SessionId } from '../session/index.ts';
import { createIds } from '../session/internal.ts';

/** Gives an entry its id; the entry is what it will be, without the id. */
export type ChainIds = (entry: Omit<Entry, 'id'>) => EntryId;

/**
 * Ids for entries that are made from a file. They are UUIDs v7 like all others, but where those have chance these have a
 * hash of the entry and of the id before it. So the same content gets the same ids, and two logs with the same id at a
 * place are equal up to it: that is how a second import knows what the first one has already brought in.
 *
 * @example
 * const idOf = createChain({ seed: 'pi:0f3a' });
 * idOf(first); // the same on every machine
 */
export function createChain({ seed }: { readonly seed: string }): ChainIds {
  let at = 0;
  let hash = createHash('sha256').update(seed).digest();
  const next = createIds({ now: () => at, randomBytes: (count) => hash.subarray(0, count) });
  return (entry) => {
    // JSON has no `undefined`, so an absent member and an undefined one are alike here too.
    const content = JSON.stringify(canonical(entry as unknown as Json));
    hash = createHash('sha256').update(hash).update(content).digest();
    at = entry.at;
    return next();
  };
}

/**
 * The id of a session that is made from a file: the same for the same source. A UUID v8, the version for ids of one's own
 * making.
 *
 * @example
 * sessionIdOf({ format: 'pi', key: '0f3a' });
 */
export function sessionIdOf({ format, key }: { readonly format: string; readonly key: string }): SessionId {
  return hashedId(`${format}\n${key}`);
}

/** A UUID v8 that says nothing but what the text is: equal for equal texts. */
export function hashedId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/**
 * A name for content that has none of its own, and a short stand-in for what is too long to be remembered: the same for
 * the same content, on every machine.
 *
 * @example
 * digestOf({ role: 'user', content: 'hi' }); // 32 hex digits
 */
export function digestOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
