import { type Reading, readItems } from '../extract/reading.ts';
import { createMask } from '../secrets/mask.ts';
import { maskedItems } from '../secrets/masked-items.ts';
import type { SourceItem } from '../source.ts';
import type { Order } from './protocol.ts';

/** What matters for how a session is read. */
export type Look = Pick<Order, 'focus' | 'secrets' | 'salt'>;

/** Reads sessions without their secrets. */
export type Reader = (of: { readonly items: readonly SourceItem[]; readonly look: Look }) => Reading;

/**
 * A reader that remembers the last reading of a session for as long as somebody holds its items: how long the end shall
 * be, and what stands for the rest, are two questions about one text, and a further attempt asks both again.
 */
export function createReader(): Reader {
  const known = new WeakMap<SourceItem, { readonly items: readonly SourceItem[]; look: string; reading: Reading }>();
  return ({ items, look: { focus, secrets = [], salt = '' } }) => {
    const look = JSON.stringify([focus ?? null, secrets, salt]);
    const last = items.at(-1);
    const before = last && known.get(last);
    if (before?.look === look && isSame(before.items, items)) return before.reading;
    const mask = createMask({ values: secrets, salt, keepsLines: true });
    const reading = readItems({ items: maskedItems({ items, mask }), focus });
    if (last) known.set(last, { items, look, reading });
    return reading;
  };
}

/** The same items, not only the same words. */
function isSame(one: readonly SourceItem[], other: readonly SourceItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
