import {
  type CompactionEntry,
  type Entry,
  type EntryId,
  nodeTypes,
  type SessionHeader,
  type SessionSummary,
} from '../../session/index.ts';
import { firstSummary, summaryAfter } from '../../session/internal.ts';
import type { ExportSource } from './source.ts';

/** What has to be known of a whole log before its first line can be written. It holds ids and names, no texts. */
export interface Survey {
  /** Name, title, how much there is, and until when. */
  readonly summary: SessionSummary;
  /** The newest name of each entry that has one. */
  readonly labels: ReadonlyMap<EntryId, string>;
  /** The compactions of the path that are in force, oldest first, without what they say. */
  readonly compactions: readonly Omit<CompactionEntry, 'summary' | 'shortSummary' | 'details'>[];
  /** Whether an entry is on the path to the leaf; a note counts as its parent. */
  readonly isOnPath: (entry: Entry) => boolean;
  readonly handleOf: (id: EntryId) => number | undefined;
  /** Where the way that leads to an entry leaves the path: the first node that is not on it. */
  readonly branchOf: (entry: Entry) => EntryId | undefined;
}

/**
 * Reads a log once, to know which of its entries belong together.
 *
 * @example
 * const survey = await surveyOf(source);
 * for await (const entry of source.entries()) if (survey.isOnPath(entry)) write(entry);
 */
export async function surveyOf({ header, head, entries }: ExportSource): Promise<Survey> {
  const nodes = new Map<EntryId, { readonly parent: EntryId | null; readonly handle: number }>();
  const labels = new Map<EntryId, string>();
  const compactions: Survey['compactions'][number][] = [];
  let last: Survey['compactions'][number] | undefined;
  let summary = firstSummary(header);
  for await (const entry of entries()) {
    summary = summaryAfter(summary, entry);
    if (nodeTypes.has(entry.type)) nodes.set(entry.id, { parent: entry.parentId, handle: entry.handle });
    // A compaction without its epoch entry changed nothing.
    if (entry.type === 'epoch' && last && entry.parentId === last.id) compactions.push(last);
    last = entry.type === 'compaction' ? bare(entry) : undefined;
    if (entry.type !== 'label') continue;
    if (entry.label === null || entry.label === '') labels.delete(entry.target);
    else labels.set(entry.target, entry.label);
  }

  const path = new Set<EntryId>();
  for (let id = head.leaf; id !== null && !path.has(id); id = nodes.get(id)?.parent ?? null) path.add(id);

  const branches = new Map<EntryId, EntryId>();
  for (const [id, { parent }] of nodes) {
    if (!path.has(id)) branches.set(id, (parent === null ? undefined : branches.get(parent)) ?? id);
  }

  const placeOf = (entry: Entry) => (nodeTypes.has(entry.type) ? entry.id : entry.parentId);
  return {
    summary,
    labels,
    compactions: compactions.filter(({ id }) => path.has(id)),
    isOnPath(entry) {
      const place = placeOf(entry);
      return place === null || path.has(place);
    },
    handleOf: (id) => nodes.get(id)?.handle,
    branchOf(entry) {
      const place = placeOf(entry);
      return place === null ? undefined : branches.get(place);
    },
  };
}

function bare({ summary: _, shortSummary: __, details: ___, ...rest }: CompactionEntry): Survey['compactions'][number] {
  return rest;
}

/** Facts about a session and its source, in display order. */
export function factsOf({ id, cwd, source, parent, owner }: SessionHeader): (readonly [what: string, value: string])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['session', id],
    ['imported from', source?.format],
    ['folder', cwd],
    ['forked from', parent?.session],
    ['sub-agent of', owner?.session],
  ];
  return facts.flatMap(([what, value]) => (value === undefined ? [] : [[what, value] as const]));
}
