import { hash } from 'node:crypto';
import { itemKey, type Json } from 'longhaul/message';
import { LRUCache } from 'lru-cache';

/**
 * The identity of a list of items: one hash per item over the item and everything before it. Two requests share the
 * first `n` hashes exactly if their first `n` items say the same.
 */
export type Chain = readonly string[];

/** Hashes items, and remembers what raw bytes were hashed to: most of a request was in the one before it. */
export class ItemHasher {
  readonly #known: LRUCache<string, string>;

  constructor({ remembered = 50_000 }: { readonly remembered?: number } = {}) {
    this.#known = new LRUCache({ max: remembered });
  }

  /** The hash of an item that is at hand as bytes; it is parsed only if these bytes are new. */
  raw({ bytes, parse }: { readonly bytes: Buffer; readonly parse: () => Json }): string {
    const key = hash('sha1', bytes, 'base64url');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = hashItem(parse());
    this.#known.set(key, found);
    return found;
  }
}

/** The hash of one item: equal for items that differ only in cache markers, key order, or string and text block. */
export function hashItem(item: Json): string {
  return short(itemKey(item));
}

/**
 * Continues a chain.
 *
 * @example
 * const chain = extendChain({ from: chainSeed('anthropic'), hashes: items.map(hashItem) });
 */
export function extendChain({ from, hashes }: { readonly from: string; readonly hashes: readonly string[] }): string[] {
  let last = from;
  return hashes.map((next) => {
    last = short(`${last}\n${next}`);
    return last;
  });
}

/** What a chain begins with. Semantic chains are the same for all dialects. */
export function chainSeed(kind: string): string {
  return `longhaul:${kind}`;
}

function short(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
