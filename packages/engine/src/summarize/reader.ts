import { createMask, maskedItems, type Reading, readItems, type SourceItem } from '../analysis/index.ts';
import type { ExtractiveInput } from './protocol.ts';

/** What matters for how a session is read. */
export type ReadOptions = Pick<ExtractiveInput, 'focus' | 'secrets' | 'salt'>;

/** Reads sessions without their secrets. */
export type ItemReader = (of: { readonly items: readonly SourceItem[]; readonly look: ReadOptions }) => Reading;

/**
 * A reader that remembers its last reading for as long as the items are held elsewhere: how long the tail shall be and what
 * the summary says are two questions about one text, and a further attempt asks both again. Only the last one: items stay
 * in the worker from one compaction to the next, and a reading is many times as large as they are. Items without their
 * secrets are kept as long as the items, so that a compaction looks for secrets only in what is new.
 */
export function createItemReader(): ItemReader {
  let known = new WeakMap<SourceItem, CachedReading>();
  let safe = { by: '', items: new WeakMap<SourceItem, SourceItem>() };
  return ({ items, look: { focus, secrets = [], salt = '' } }) => {
    const look = JSON.stringify([focus ?? null, secrets, salt]);
    const last = items.at(-1);
    const before = last && known.get(last);
    if (before?.look === look && isSame(before.items, items)) return before.reading;
    known = new WeakMap();
    const reading = readItems({ items: withoutSecrets({ items, secrets, salt }), focus });
    if (last) known.set(last, { items, look, reading });
    return reading;
  };

  function withoutSecrets(of: {
    readonly items: readonly SourceItem[];
    readonly secrets: readonly string[];
    readonly salt: string;
  }): SourceItem[] {
    const by = JSON.stringify([of.secrets, of.salt]);
    if (by !== safe.by) safe = { by, items: new WeakMap() };
    const mask = createMask({ values: of.secrets, salt: of.salt, keepsLines: true });
    const unknown = of.items.filter((item) => !safe.items.has(item));
    const masked = maskedItems({ items: unknown, mask });
    for (const [index, item] of unknown.entries()) safe.items.set(item, masked[index] ?? item);
    return of.items.map((item) => safe.items.get(item) ?? item);
  }
}

interface CachedReading {
  readonly items: readonly SourceItem[];
  readonly look: string;
  readonly reading: Reading;
}

/** The same items, not only the same words. */
function isSame(one: readonly SourceItem[], other: readonly SourceItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
