import { type Entry, type EntryId, type EntryType, nodeTypes } from '../entry/entry.ts';
import type { Head } from '../store/store.ts';
import { type LogProblem, missing, missingItem, unordered } from './problem.ts';

/** Looks at a log entry by entry, in order of handle, remembering little of each. */
export interface LogCheck {
  add(entry: Entry): void;
  /** The problems found, including those of the stored head if it is given. */
  finish(input?: { readonly head?: Head }): LogProblem[];
}

interface SeenEntry {
  readonly handle: number;
  readonly type: EntryType;
  readonly epoch: EntryId | null;
}

/**
 * Finds what is wrong with a log as a log: ids or handles used twice, parents and references that are missing or not
 * older (cycles), notes that are stood on, entries that carry the wrong epoch, a head that is not where the log leads.
 * A long log need not be in memory for it.
 *
 * @example
 * const check = createLogCheck();
 * for (const entry of await session.read({ after: 0 })) check.add(entry);
 * const problems = check.finish({ head: session.head });
 */
export function createLogCheck(): LogCheck {
  const seen = new Map<EntryId, SeenEntry>();
  const problems: LogProblem[] = [];
  /** References to what was not there yet: missing, or younger than what refers to it. */
  const open: { readonly id: EntryId; readonly by: Pick<Entry, 'id' | 'handle' | 'type'>; readonly isItem: boolean }[] =
    [];
  let last = 0;
  let count = 0;
  let leaf: EntryId | null = null;

  const refer = ({
    id,
    by,
    isItem = false,
  }: {
    readonly id: EntryId;
    readonly by: Entry;
    readonly isItem?: boolean;
  }) => {
    if (!seen.has(id)) open.push({ id, by: { id: by.id, handle: by.handle, type: by.type }, isItem });
  };

  return {
    add(entry) {
      const { id, handle, type, parentId } = entry;
      count += 1;
      if (seen.has(id)) problems.push({ code: 'duplicate-id', entry: id, what: `The id of @${handle} is used twice.` });
      if (handle === last) {
        problems.push({ code: 'duplicate-handle', entry: id, what: `The handle @${handle} is used twice.` });
      }
      last = Math.max(last, handle);
      for (const reference of references(entry)) refer({ ...reference, by: entry });
      const parent = parentId === null ? nowhere : seen.get(parentId);
      if (parent) problems.push(...parentProblems({ entry, parent }));
      if (nodeTypes.has(type)) leaf = id;
      else if (type === 'leaf') leaf = entry.target;
      if (!seen.has(id)) seen.set(id, { handle, type, epoch: entry.epoch });
    },
    finish({ head } = {}) {
      for (const { id, by, isItem } of open) {
        const target = seen.get(id);
        if (target) problems.push(unordered({ entry: by, target }));
        else problems.push(isItem ? missingItem({ id, by }) : missing({ id, by }));
      }
      if (head) problems.push(...headProblems({ head, last, count, leaf, seen }));
      return problems;
    },
  };
}

/** The ids that an entry needs to mean anything. */
function references(entry: Entry): { readonly id: EntryId; readonly isItem?: boolean }[] {
  const parent = entry.parentId === null ? [] : [{ id: entry.parentId }];
  if (entry.type === 'leaf') return entry.target === null ? parent : [...parent, { id: entry.target }];
  if (entry.type !== 'epoch') return parent;
  if ('list' in entry.items) {
    const items = entry.items.list.flatMap((item) => ('entry' in item ? [{ id: item.entry, isItem: true }] : []));
    return [...parent, ...items];
  }
  const { node, after } = entry.items.restore;
  return [...parent, { id: after }, ...(node === null ? [] : [{ id: node }])];
}

/** The parent of a root. */
const nowhere: SeenEntry = { handle: 0, type: 'message', epoch: null };

function parentProblems({ entry, parent }: { readonly entry: Entry; readonly parent: SeenEntry }): LogProblem[] {
  const problems: LogProblem[] = [];
  // A kind that this version does not know may have been a node in the version that wrote it.
  if (!nodeTypes.has(parent.type) && parent.type !== 'unknown') {
    const what = `@${entry.handle} has the parent @${parent.handle}, a ${parent.type}, which is a note and cannot be a parent.`;
    problems.push({ code: 'note-as-parent', entry: entry.id, what });
  }
  const epoch = entry.type === 'epoch' ? entry.id : parent.epoch;
  if (entry.epoch !== epoch) {
    const what = `@${entry.handle} says that it is in epoch ${entry.epoch}, and its path is in ${epoch}.`;
    problems.push({ code: 'wrong-epoch', entry: entry.id, what });
  }
  return problems;
}

function headProblems({
  head,
  last,
  count,
  leaf,
  seen,
}: {
  readonly head: Head;
  readonly last: number;
  readonly count: number;
  readonly leaf: EntryId | null;
  readonly seen: ReadonlyMap<EntryId, SeenEntry>;
}): LogProblem[] {
  const epoch = leaf === null ? null : (seen.get(leaf)?.epoch ?? null);
  const expected: Head = { last, count, leaf, epoch };
  return (['last', 'count', 'leaf', 'epoch'] as const).flatMap((key): LogProblem[] => {
    if (head[key] === expected[key]) return [];
    const what = `The head says ${key} ${head[key]}, and the log says ${expected[key]}.`;
    return [{ code: 'wrong-head', entry: leaf ?? '', what }];
  });
}
