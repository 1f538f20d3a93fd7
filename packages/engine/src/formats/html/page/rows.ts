import { lowestIndex } from '../../../page/browser/lowest-index.ts';
import type { PageEntry, PageMessages } from '../shape.ts';
import type { Log } from './log.ts';

/** A line of the timeline: an entry of the path, with what belongs to it. */
export interface Row {
  readonly entry: PageEntry;
  /** The epoch that put a compaction, a prune or an edit in force. */
  readonly effect?: PageEntry;
  /** Other ways that went on from here. */
  readonly forks: readonly number[];
  /** The entry that took this one out of what is sent. */
  readonly goneSince?: number;
  readonly isFirstOfDay: boolean;
}

/** Entries that take effect through the epoch entry after them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/** The rows of the way to an entry, with the notes that were taken on it where they are asked for. */
export function rowsOf({
  log,
  tip,
  withNotes,
}: {
  readonly log: Log;
  readonly tip: number | null;
  readonly withNotes: boolean;
}): Row[] {
  const path = log.pathTo(tip);
  const gone = goneSince(path);
  const shown: (Omit<Row, 'isFirstOfDay'> & { effect?: PageEntry })[] = [];
  if (withNotes) shown.push(...log.notes(null).map((entry) => ({ entry, forks: [] })));
  path.forEach((entry, index) => {
    const last = shown.at(-1);
    const isEffect = entry.type === 'epoch' && last?.entry.handle === entry.parent && causes.has(last.entry.type);
    const forks = log.children(entry.handle).filter((child) => child !== path[index + 1]?.handle);
    if (isEffect && last) shown[shown.length - 1] = { ...last, effect: entry, forks: [...last.forks, ...forks] };
    else shown.push({ entry, forks, ...sinceOf(gone.get(entry.handle)) });
    if (withNotes) shown.push(...log.notes(entry.handle).map((note) => ({ entry: note, forks: [] })));
  });
  let day = '';
  return shown.map((row) => {
    const own = new Date(row.entry.at).toDateString();
    const isFirstOfDay = own !== day;
    day = own;
    return { ...row, isFirstOfDay };
  });
}

function sinceOf(goneSince: number | undefined): Pick<Row, 'goneSince'> {
  return goneSince === undefined ? {} : { goneSince };
}

/** Which entries of a path are not sent at its end, and since when. */
function goneSince(path: readonly PageEntry[]): ReadonlyMap<number, number> {
  const gone = new Map<number, number>();
  for (const { handle, parent, replaced, restored } of path) {
    for (const entry of within({ path, messages: restored })) gone.delete(entry.handle);
    for (const entry of within({ path, messages: replaced })) {
      if (!gone.has(entry.handle)) gone.set(entry.handle, parent ?? handle);
    }
  }
  return gone;
}

/** The entries of a path that messages are. Handles ascend along a path. */
export function within({
  path,
  messages,
}: {
  readonly path: readonly PageEntry[];
  readonly messages: PageMessages | undefined;
}): PageEntry[] {
  return (messages?.stretches ?? []).flatMap(([first, last]) => {
    const from = lowestIndex({ length: path.length, isThere: (index) => (path[index]?.handle ?? 0) >= first });
    const to = lowestIndex({ length: path.length, isThere: (index) => (path[index]?.handle ?? 0) > last });
    return path.slice(from, to).filter(({ tokens }) => tokens > 0);
  });
}
