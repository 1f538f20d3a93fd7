import type { Entry, EntryId } from '../../../entry/entry.ts';
import type { Follower } from './follower.ts';

/**
 * Joins what a lost entry tore apart: an entry whose parent is gone follows the node before it, one whose epoch is gone
 * takes that of its parent, a move to what is gone stays where the log is. What says all is there is left as it is.
 */
export function mend({ entry, follower }: { readonly entry: Entry; readonly follower: Follower }): Entry {
  const isLost = (id: EntryId | null): boolean => id !== null && !follower.has(id);
  const parentId = isLost(entry.parentId) ? follower.tip : entry.parentId;
  const isOwn = entry.epoch === entry.id;
  const epoch = !isOwn && isLost(entry.epoch) ? follower.epochOf(parentId) : entry.epoch;
  const target = entry.type === 'leaf' && isLost(entry.target) ? { target: follower.tip } : {};
  const isWhole = parentId === entry.parentId && epoch === entry.epoch && !('target' in target);
  return isWhole ? entry : ({ ...entry, parentId, epoch, ...target } as Entry);
}
