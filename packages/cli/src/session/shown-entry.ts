import type { Entry, Session } from 'longhaul/session';

/** The epoch reason for each kind of entry. */
const reasonOf: Readonly<Record<string, string>> = { compaction: 'compaction', prune: 'prune', context_edit: 'edit' };

/** Whether an epoch was appended together with its parent, as its effect on the context. */
export function isEpochOf({ epoch, parent }: { readonly epoch: Entry; readonly parent: Entry }): boolean {
  return epoch.type === 'epoch' && epoch.parentId === parent.id && epoch.reason === reasonOf[parent.type];
}

/**
 * The entry whose handle is displayed for an entry, consistently in `tree`, `context`, `undo`, `move` and `rewind`: an
 * epoch that belongs to a compaction, prune or edit is displayed as that.
 *
 * @example
 * const { handle } = await shownEntry({ session, entry: epoch }); // of the compaction
 */
export async function shownEntry({ session, entry }: { readonly session: Session; readonly entry: Entry }) {
  if (entry.type !== 'epoch' || entry.parentId === null) return entry;
  const [parent] = await session.read({ ids: [entry.parentId] });
  return parent && isEpochOf({ epoch: entry, parent }) ? parent : entry;
}
