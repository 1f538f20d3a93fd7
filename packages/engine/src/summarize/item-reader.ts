import { createMask, maskedItems, readItems, type SessionReading, type SourceItem } from '../analysis/index.ts';
import type { ExtractiveInput } from './protocol.ts';

/** What a reading depends on, besides the items. */
export type ReadOptions = Pick<ExtractiveInput, 'focus' | 'secrets' | 'salt'>;

/** Masks items and indexes them for selection. */
export type ItemReader = (of: {
  readonly items: readonly SourceItem[];
  readonly options: ReadOptions;
}) => SessionReading;

/**
 * A reader that caches its last reading while the items are referenced elsewhere: choosing the tail and composing the
 * summary read the same items, and a retry does both again. Only the last reading is cached, because items stay in the
 * worker between compactions and a reading is many times their size. Masked items are cached as long as the items, so that
 * a compaction searches only new items for secrets.
 */
export function createItemReader(): ItemReader {
  let cache = new WeakMap<SourceItem, CachedReading>();
  let masked = { key: '', items: new WeakMap<SourceItem, SourceItem>() };
  return ({ items, options: { focus, secrets = [], salt = '' } }) => {
    const options = JSON.stringify([focus ?? null, secrets, salt]);
    const last = items.at(-1);
    const cached = last && cache.get(last);
    if (cached?.options === options && isSame(cached.items, items)) return cached.reading;
    cache = new WeakMap();
    const reading = readItems({ items: withoutSecrets({ items, secrets, salt }), focus });
    if (last) cache.set(last, { items, options, reading });
    return reading;
  };

  function withoutSecrets(of: {
    readonly items: readonly SourceItem[];
    readonly secrets: readonly string[];
    readonly salt: string;
  }): SourceItem[] {
    const key = JSON.stringify([of.secrets, of.salt]);
    if (key !== masked.key) masked = { key, items: new WeakMap() };
    const mask = createMask({ values: of.secrets, salt: of.salt, keepsLines: true });
    const unknown = of.items.filter((item) => !masked.items.has(item));
    const safe = maskedItems({ items: unknown, mask });
    for (const [index, item] of unknown.entries()) masked.items.set(item, safe[index] ?? item);
    return of.items.map((item) => masked.items.get(item) ?? item);
  }
}

interface CachedReading {
  readonly items: readonly SourceItem[];
  readonly options: string;
  readonly reading: SessionReading;
}

/** Compares items by identity, not by content. */
function isSame(one: readonly SourceItem[], other: readonly SourceItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
