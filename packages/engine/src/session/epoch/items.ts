import type { ContextItem } from '../context/item.ts';
import type { EpochItem } from '../entry/entry.ts';

/**
 * What is sent now, as an item of an epoch: by reference where it is an entry, in full where it was made.
 *
 * @example
 * const list = session.context.items.map(toEpochItem);
 */
export function toEpochItem({ message, entry, isMade }: ContextItem): EpochItem {
  if (!isMade && entry !== null) return { entry };
  return { made: message, ...(entry !== null && { for: entry }) };
}
