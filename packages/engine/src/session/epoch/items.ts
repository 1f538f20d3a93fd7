import type { ContextItem } from '../context/item.ts';
import type { EpochItem } from '../entry/entry.ts';

/** What is sent now, as the items of an epoch. */
export function toEpochItem({ message, entry, isMade }: ContextItem): EpochItem {
  if (!isMade && entry !== null) return { entry };
  return { made: message, ...(entry !== null && { for: entry }) };
}
