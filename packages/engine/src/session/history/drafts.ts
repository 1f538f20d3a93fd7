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
  // Where nothing was said since, the redo that is undone is near, and the action itself may be far.
  return restore({ reason: 'undo', node: before, after: isAlone({ action, at: doneBy }) ? doneBy.id : entry.id });
}

/** What puts an undone action in force again: the state before the undo, then what was said since. */
export function redoDraft(action: UndoneAction): Draft<EpochEntry> | Draft<LeafEntry> {
  const { entry, undoneBy } = action;
  if (undoneBy.type === 'leaf') {
    return { type: 'leaf', target: undoneBy.parentId, reason: 'redo', reverses: undoneBy.id };
  }
  // The action itself instead of the state before the undo: that one may rest on a redo, which rests on another.
  const node = isAlone({ action, at: undoneBy }) ? entry.id : undoneBy.parentId;
  return restore({ reason: 'redo', node, after: undoneBy.id });
}

function isAlone({ action, at }: { readonly action: Action; readonly at: EpochEntry | LeafEntry }): boolean {
  return action.aloneUntil === at.handle;
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
