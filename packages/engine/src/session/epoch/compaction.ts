import type { Json, Message } from '../../message/index.ts';
import { withoutProviderCompaction } from '../../message/internal.ts';
import type { Context } from '../context/context.ts';
import { summaryMessage } from '../context/item.ts';
import type { CompactionEntry, Draft, EntryId, EpochEntry, ModelName } from '../entry/entry.ts';
import { contextMoved, notInContext } from '../errors.ts';
import { codecVersion, toEpochItem } from './drafts.ts';

/** What a compaction is made of. */
export interface CompactionInput {
  readonly summary: string;
  readonly shortSummary?: string;
  /** The first entry that stays verbatim; `null` when none does. */
  readonly firstKeptId: EntryId | null;
  readonly tokensBefore: number;
  readonly trigger: string;
  readonly details?: Json;
  /**
   * What it was planned on, and how many of those items do not stay: what came since stays, whatever it is. Without it
   * `firstKeptId` tells.
   */
  readonly planned?: { readonly on: Context; readonly cut: number };
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
  planned,
  made,
  keepFirst = 0,
  replaced = new Map(),
  price,
  model,
  ...compaction
}: CompactionInput & { readonly context: Context }): [Draft<CompactionEntry>, Draft<EpochEntry>] {
  const { items } = context;
  const { firstKeptId, summary } = compaction;
  if (planned && !hasGrown({ from: planned.on, to: context })) throw contextMoved();
  const start = planned?.cut ?? firstKept({ items, id: firstKeptId });
  const summaries = (made ?? [summaryMessage({ of: 'compaction', summary })]).map((message) => ({ made: message }));
  const list = [
    ...items.slice(0, Math.min(keepFirst, start)).map(toEpochItem),
    ...summaries,
    ...items.slice(start).flatMap((item) => {
      const given = item.entry === null ? undefined : replaced.get(item.entry);
      const made = given === undefined ? uncompacted(item.message) : given;
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

/** What a provider compacted by itself since this was planned would hide the summary from it. */
function uncompacted(message: Message): Message | null | undefined {
  const rest = withoutProviderCompaction(message);
  if (rest === message) return undefined;
  return rest.parts.length === 0 ? null : rest;
}

function firstKept({ items, id }: { readonly items: Context['items']; readonly id: EntryId | null }): number {
  if (id === null) return items.length;
  const index = items.findIndex(({ entry }) => entry === id);
  // pi takes an unknown boundary for "keep nothing" and says no word.
  if (index < 0) throw notInContext({ what: id });
  return index;
}

/** Within an epoch an entry is sent unchanged, so positions with the same entries have the same content. */
function hasGrown({ from, to }: { readonly from: Context; readonly to: Context }): boolean {
  return from.epoch === to.epoch && from.items.every(({ entry }, index) => entry === to.items[index]?.entry);
}
