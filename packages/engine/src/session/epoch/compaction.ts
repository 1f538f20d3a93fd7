import type { Json, Message } from '../../message/index.ts';
import type { Context } from '../context/context.ts';
import { summaryMessage } from '../context/item.ts';
import type { CompactionEntry, Draft, EntryId, EpochEntry, ModelName } from '../entry/entry.ts';
import { notInContext } from '../errors.ts';
import { codecVersion } from './codec.ts';
import { toEpochItem } from './items.ts';

/** What a compaction is made of. */
export interface CompactionInput {
  readonly summary: string;
  readonly shortSummary?: string;
  /** The first entry that stays verbatim; `null` when none does. */
  readonly firstKeptId: EntryId | null;
  readonly tokensBefore: number;
  readonly trigger: string;
  readonly details?: Json;
  /** What the model reads in place of what was compacted; by default the summary after one sentence. */
  readonly made?: readonly Message[];
  /** Leading items that stay in front of the summary, such as the head. Default 0. */
  readonly keepFirst?: number;
  /** What is sent in place of entries that stay: shortened, or (`null`) nothing. */
  readonly replaced?: ReadonlyMap<EntryId, Message | null>;
  readonly price?: EpochEntry['price'];
  readonly model?: ModelName;
}

/**
 * The batch that compacts: the compaction, then the epoch that puts it in force. What is kept is taken from what is sent
 * now, not from the path, so that entries an earlier compaction kept are kept again, and what was pruned stays pruned
 * (pi #2608 dropped the former).
 *
 * @example
 * await session.appendBatch(compactionDrafts({ context: session.context, summary, firstKeptId, tokensBefore, trigger }));
 */
export function compactionDrafts({
  context,
  made,
  keepFirst = 0,
  replaced = new Map(),
  price,
  model,
  ...compaction
}: CompactionInput & { readonly context: Context }): [Draft<CompactionEntry>, Draft<EpochEntry>] {
  const { items } = context;
  const { firstKeptId, summary } = compaction;
  const start = firstKeptId === null ? items.length : items.findIndex(({ entry }) => entry === firstKeptId);
  // pi takes an unknown boundary for "keep nothing" and says no word.
  if (firstKeptId !== null && start < 0) throw notInContext({ what: firstKeptId });
  const summaries = (made ?? [summaryMessage({ of: 'compaction', summary })]).map((message) => ({ made: message }));
  const list = [
    ...items.slice(0, Math.min(keepFirst, start)).map(toEpochItem),
    ...summaries,
    ...items.slice(start).flatMap((item) => {
      const made = item.entry === null ? undefined : replaced.get(item.entry);
      if (made === null) return [];
      return [toEpochItem(made ? { ...item, message: made, isMade: true } : item)];
    }),
  ];
  return [
    { type: 'compaction', ...compaction },
    {
      type: 'epoch',
      reason: 'compaction',
      items: { list },
      ...(price && { price }),
      ...(model && { model }),
      codec: codecVersion,
    },
  ];
}
