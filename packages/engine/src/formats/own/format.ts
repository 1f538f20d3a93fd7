import { isObject, type JsonObject } from '../../json.ts';
import { type Entry, type EntryId, type Head, nodeTypes, type SessionHeader } from '../../session/index.ts';
import { readEntry, writeEntry } from '../../session/internal.ts';
import type { LinesFormat } from '../format.ts';
import { afterFirst } from '../lines/async-iterable.ts';
import { sessionPieces } from '../lines/header-pieces.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { ParsedSession } from '../parsed-session.ts';
import type { WarningList } from '../warnings.ts';

/** Our own log, as `writeOwn` wrote it. */
export const own: LinesFormat = {
  kind: 'lines',
  name: 'longhaul',
  isRecord: isOwnRecord,
  startsLike: /^\{\s*"type"\s*:\s*"session"\s*,\s*"format"\s*:\s*"longhaul"/,
  read: ({ first, records, beginning, warnings }) =>
    isOwnHeader(first.value)
      ? readOwn({ header: first.value, records: afterFirst(records), warnings })
      : readOwn({ header: sessionPieces(beginning), records, warnings }),
};

/** Whether a record is one of a file of ours. */
function isOwnRecord(value: JsonObject): boolean {
  return isOwnHeader(value) || (typeof value.v === 'number' && typeof value.handle === 'number');
}

/** Whether a record is the header of a file of ours. */
function isOwnHeader(value: JsonObject): boolean {
  return value.type === 'session' && value.format === 'longhaul';
}

/**
 * A session of our own, as `writeOwn` wrote it.
 *
 * @example
 * const reading = readOwn({ header: first.value, records, warnings });
 */
function readOwn({
  header: raw,
  records,
  warnings,
}: {
  /** `{}` where there is none to be read. */
  readonly header: JsonObject;
  readonly records: AsyncIterable<FileRecord>;
  readonly warnings: WarningList;
}): ParsedSession {
  const { id, createdAt, name, cwd } = raw;
  const known = { id: stringOf(id), createdAt: numberOf(createdAt), name: stringOf(name), cwd: stringOf(cwd) };
  const linked = { parent: linkOf(raw.parent), owner: linkOf(raw.owner), source: sourceOf(raw.source) };
  const details = isObject(raw.details) ? { details: raw.details } : {};
  return {
    format: 'longhaul',
    key: known.id ?? '',
    header: { ...defined(known), ...defined(linked), ...details } as ParsedSession['header'],
    entries: () => readEntries({ records, warnings, expected: numberOf(raw.entries) }),
  };
}

async function* readEntries({
  records,
  warnings,
  expected,
}: {
  readonly records: AsyncIterable<FileRecord>;
  readonly warnings: WarningList;
  readonly expected: number | undefined;
}): AsyncGenerator<Entry> {
  const repair = createEntryRepair();
  const seen = new Set<EntryId>();
  let last = 0;
  for await (const { line, value } of records) {
    const found = acceptable(value, line);
    if (!found) continue;
    seen.add(found.id);
    last = found.handle;
    const { entry, how } = repair(found);
    if (how !== undefined) warnings.add({ code: 'missing-entry', message: `@${found.handle} ${how}.`, line });
    if (entry) yield entry;
  }
  if (expected !== undefined && seen.size < expected) {
    const missing = expected - seen.size;
    warnings.add({
      code: 'entries-missing',
      message: `The header speaks of ${expected} entries; ${missing} are missing.`,
    });
  }

  function acceptable(value: JsonObject, line: number): Entry | undefined {
    const { entry, problems } = readEntry({ value });
    if (!entry) {
      warnings.add({ code: 'bad-entry', message: `This is no entry, and was left out: ${problems.join(' ')}`, line });
      return undefined;
    }
    if (seen.has(entry.id) || entry.handle <= last) {
      warnings.add({ code: 'out-of-order', message: `@${entry.handle} is a duplicate and was left out.`, line });
      return undefined;
    }
    return entry;
  }
}

function linkOf(value: unknown): SessionHeader['parent'] | undefined {
  return isObject(value) && typeof value.session === 'string'
    ? (value as unknown as SessionHeader['parent'])
    : undefined;
}

function sourceOf(value: unknown): SessionHeader['source'] | undefined {
  if (!isObject(value) || typeof value.format !== 'string' || typeof value.key !== 'string') return undefined;
  return { format: value.format, key: value.key };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** An entry that can be appended after those before it; what was done to it, if anything was. */
interface RepairedEntry {
  /** `undefined` where nothing of it can stand. */
  readonly entry: Entry | undefined;
  readonly how?: string;
}

/**
 * Closes the gap of an entry that cannot be read: its children are attached to the leaf before it, as if it had never
 * been appended, and references to it are removed.
 *
 * @example
 * const mend = createMender();
 * const { entry } = mend(readEntry({ value }).entry);
 */
function createEntryRepair(): (entry: Entry) => RepairedEntry {
  const epochs = new Map<EntryId, EntryId | null>();
  let leaf: EntryId | null = null;
  return (given) => {
    const { entry, how } = fitted(given);
    if (entry?.type === 'leaf') leaf = entry.target;
    if (entry && nodeTypes.has(entry.type)) {
      epochs.set(entry.id, entry.epoch);
      leaf = entry.id;
    }
    return how === undefined ? { entry } : { entry, how };
  };

  function fitted(entry: Entry): RepairedEntry {
    if (entry.type === 'leaf' && entry.target !== null && !epochs.has(entry.target)) {
      return { entry: undefined, how: 'moves to an entry that is missing, and was left out' };
    }
    if (entry.type === 'epoch' && 'restore' in entry.items) {
      const { node, after } = entry.items.restore;
      const isThere = (node === null || epochs.has(node)) && epochs.has(after);
      if (!isThere) return { entry: undefined, how: 'restores what is missing, and was left out' };
    }
    const placed = isPlaced(entry) ? inEpoch(entry) : inEpoch({ ...entry, parentId: leaf });
    const full = placed.type === 'epoch' ? withoutMissing(placed) : placed;
    if (full !== placed) return { entry: full, how: 'sends entries that are missing; they were left out of it' };
    if (placed !== entry)
      return { entry: placed, how: 'hung on an entry that is missing; it was put on the one before' };
    return { entry };
  }

  function isPlaced({ parentId }: Entry): boolean {
    return parentId === null || epochs.has(parentId);
  }

  /** The epoch of its path, which is another where the entry that opened it is missing. */
  function inEpoch(entry: Entry): Entry {
    const ofPath = entry.parentId === null ? null : (epochs.get(entry.parentId) ?? null);
    const epoch = entry.type === 'epoch' ? entry.id : ofPath;
    return epoch === entry.epoch ? entry : { ...entry, epoch };
  }

  function withoutMissing(entry: Extract<Entry, { type: 'epoch' }>): Entry {
    if (!('list' in entry.items)) return entry;
    const { list } = entry.items;
    const kept = list.filter((item) => !('entry' in item) || epochs.has(item.entry));
    return kept.length === list.length ? entry : { ...entry, items: { list: kept } };
  }
}

/**
 * A session in Longhaul's own JSON lines format: a header, then every entry as in the log, with its id and handle. The
 * header contains the number of entries, so that a file truncated at a line end is detected.
 *
 * @example
 * for await (const line of writeOwn({ header, head, entries })) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writeOwn({
  header,
  head,
  entries,
}: {
  readonly header: SessionHeader;
  readonly head: Head;
  readonly entries: AsyncIterable<Entry>;
}): AsyncGenerator<JsonObject> {
  const { v, id, createdAt, name, cwd, parent, owner, source, details, ...more } = header;
  // In one order, whatever the order in which the header was made, so that equal sessions are equal files.
  const facts = { v, id, createdAt, name, cwd, parent, owner, source, details, ...more } as unknown as JsonObject;
  yield { type: 'session', format: 'longhaul', ...facts, entries: head.count };
  for await (const entry of entries) yield writeEntry(entry);
}
