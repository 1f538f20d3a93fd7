import type { Draft, EntryId, EpochEntry, LeafEntry } from '../entry/entry.ts';
import { codecVersion } from '../epoch/codec.ts';
import type { Action, UndoneAction } from './history.ts';

/**
 * What takes an action back. A changed context comes back in constant space: as it was before the batch that changed it
 * (`before`, the parent of the batch's first entry), then what was said since. A move goes back to where it left from.
 */
export function undoDraft({
  action,
  before,
}: {
  readonly action: Action;
  readonly before: EntryId | null;
}): Draft<EpochEntry> | Draft<LeafEntry> {
  const { entry, doneBy } = action;
  if (entry.type === 'leaf') return { type: 'leaf', target: doneBy.parentId, reason: 'undo', reverses: entry.id };
  return restore({ reason: 'undo', node: before, after: entry.id });
}

/** What puts an undone action in force again: the state before the undo, then what was said since. */
export function redoDraft({ undoneBy }: UndoneAction): Draft<EpochEntry> | Draft<LeafEntry> {
  if (undoneBy.type === 'leaf') {
    return { type: 'leaf', target: undoneBy.parentId, reason: 'redo', reverses: undoneBy.id };
  }
  return restore({ reason: 'redo', node: undoneBy.parentId, after: undoneBy.id });
}

function restore({
  reason,
  node,
  after,
}: {
  readonly reason: 'undo' | 'redo';
  readonly node: EntryId | null;
  readonly after: EntryId;
}): Draft<EpochEntry> {
  return { type: 'epoch', reason, items: { restore: { node, after } }, codec: codecVersion };
}
