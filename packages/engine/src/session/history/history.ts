import type { Draft, Entry, EntryId, EpochEntry, LeafEntry } from '../entry/entry.ts';
import { codecVersion } from '../epoch/drafts.ts';

/** Something that was done to a session and can be taken back. */
export interface UndoableAction {
  /** What did it first. */
  readonly entry: EpochEntry | LeafEntry;
  /** What put it in force: the entry itself, or the newest redo of it. */
  readonly doneBy: EpochEntry | LeafEntry;
  /**
   * The handle up to which nothing but this action, its undos and its redos was appended: as long as nothing else was,
   * going back and forth stays as cheap as the first time.
   */
  readonly aloneUntil: number;
}

/** An action that was taken back. */
export interface UndoneAction extends UndoableAction {
  readonly undoneBy: EpochEntry | LeafEntry;
}

/** What can be undone and redone; the next of each is the last. */
export interface UndoHistory {
  readonly done: readonly UndoableAction[];
  readonly undone: readonly UndoneAction[];
}

/** The kinds of entries from which the history is read. */
export const historyTypes: readonly Entry['type'][] = ['epoch', 'leaf'];

/**
 * Epochs that no action opened and undo does not reverse: a guard cut would be forced again by the window at once, and an older
 * model, head or import, or what a provider would not take, is not brought back by old bytes.
 */
const forced: ReadonlySet<string> = new Set(['guard', 'model', 'head', 'import', 'repair', 'thinking']);

/**
 * What can be undone and redone, read off the log: the newest action that is not undone comes first, and a new action
 * forgets what was undone before it.
 *
 * @example
 * const { done } = historyOf({ entries: log });
 * console.log(done.at(-1)?.entry.type);
 */
export function historyOf({ entries }: { readonly entries: readonly Entry[] }): UndoHistory {
  const done: UndoableAction[] = [];
  let undone: UndoneAction[] = [];
  for (const entry of entries) {
    if (entry.type !== 'epoch' && entry.type !== 'leaf') continue;
    const { kind, of } = meaning(entry);
    if (kind === 'action') {
      done.push({ entry, doneBy: entry, aloneUntil: entry.handle });
      undone = [];
    } else if (kind === 'undo') {
      const action = take(done, (candidate) => candidate.entry.id === of || candidate.doneBy.id === of);
      if (action) undone.push({ ...action, aloneUntil: alone(action, entry), undoneBy: entry });
    } else if (kind === 'redo') {
      const action = take(undone, (candidate) => candidate.undoneBy.id === of);
      if (action) done.push({ entry: action.entry, doneBy: entry, aloneUntil: alone(action, entry) });
    }
  }
  return { done, undone };
}

function alone({ aloneUntil }: UndoableAction, { handle }: Entry): number {
  return handle === aloneUntil + 1 ? handle : aloneUntil;
}

function meaning(entry: EpochEntry | LeafEntry): {
  readonly kind: 'action' | 'undo' | 'redo' | 'none';
  readonly of?: EntryId | undefined;
} {
  const kind = entry.reason === 'undo' ? 'undo' : entry.reason === 'redo' ? 'redo' : undefined;
  if (kind) {
    if (entry.type === 'leaf') return { kind, of: entry.reverses };
    return { kind, of: 'restore' in entry.items ? entry.items.restore.after : undefined };
  }
  return { kind: forced.has(entry.reason) ? 'none' : 'action' };
}

/** Takes the newest that fits out of a list. */
function take<T>(list: T[], fits: (value: T) => boolean): T | undefined {
  const index = list.findLastIndex(fits);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}

/**
 * What takes an action back. A changed context comes back in constant space: as it was before the batch that changed it
 * (`before`, the parent of the batch's first entry), then what was said since. A move goes back to where it left from.
 */
export function undoDraft({
  action,
  before,
}: {
  readonly action: UndoableAction;
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

function isAlone({ action, at }: { readonly action: UndoableAction; readonly at: EpochEntry | LeafEntry }): boolean {
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
