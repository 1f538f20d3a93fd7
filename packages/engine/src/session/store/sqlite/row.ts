import { type Json, parseJson } from '../../../json.ts';
import { type Entry, type EntryId, nodeTypes } from '../../entry/entry.ts';
import { DamageError } from '../errors.ts';
import { firstSummary, shownName, summaryAfter } from '../summary.ts';
import { type Spilled, spill, spillLength, unspill } from './spill.ts';

/** An entry as stored: its JSON and the columns it is looked up by. */
export interface EntryRow {
  readonly handle: number;
  readonly id: EntryId;
  readonly parent: EntryId | null;
  readonly epoch: EntryId | null;
  readonly at: number;
  readonly type: string;
  /** As JSON, in which no character is special. */
  readonly key: string | null;
  readonly isNode: boolean;
  readonly body: string;
  readonly spilled: readonly Spilled[];
  /** What the list of sessions shows because of it. */
  readonly title?: string;
  /** `''` takes the name off. */
  readonly name?: string;
}

/** An entry as the table of entries holds it. */
export interface SelectedRow {
  readonly handle: number;
  readonly nth: number;
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly blobs: string | null;
  readonly sum: number;
}

/** An entry on its way back. */
export interface StoredRow {
  readonly handle: number;
  readonly body: string;
  readonly spilled?: readonly Spilled[];
}

export function rowOf(entry: Entry): EntryRow {
  const { body, spilled } = bodyOf(entry);
  const { title } = summaryAfter(untitled, entry);
  const key = entry.type === 'message' ? entry.key : undefined;
  const given = entry.type === 'session_info' ? entry.info.name : undefined;
  const name = given === undefined ? undefined : (shownName(given) ?? '');
  return {
    handle: entry.handle,
    id: entry.id,
    parent: entry.parentId,
    epoch: entry.epoch,
    at: entry.at,
    type: entry.type,
    key: key === undefined ? null : JSON.stringify(key),
    isNode: nodeTypes.has(entry.type),
    body,
    spilled,
    ...(title !== undefined && { title }),
    ...(name !== undefined && { name }),
  };
}

export function entryOf(row: StoredRow): Entry {
  const value = parseJson(row.body);
  if (value === undefined) throw new DamageError({ what: 'its text is not JSON', where: `Entry @${row.handle}` });
  return unspill({ value, spilled: row.spilled ?? [] }) as Entry;
}

function bodyOf(entry: Entry): { readonly body: string; readonly spilled: readonly Spilled[] } {
  const body = JSON.stringify(entry);
  if (body.length < spillLength) return { body, spilled: [] };
  const { value, spilled } = spill(entry as unknown as Json);
  return spilled.length === 0 ? { body, spilled } : { body: JSON.stringify(value), spilled };
}

const untitled = firstSummary({ v: 1, id: '', createdAt: 0 });
