import { hash } from 'node:crypto';
import { itemKey, type Json } from 'longhaul/message';

/**
 * The identity of a list of items: one hash per item over the item and everything before it. Two requests share the
 * first `n` hashes exactly if their first `n` items say the same.
 */
export type Chain = readonly string[];

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
