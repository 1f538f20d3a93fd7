import { isObject, type JsonObject } from '../../json.ts';
import { type Entry, type EntryId, readEntry, type SessionHeader } from '../../session/index.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { createMender } from './repair.ts';

/** Whether a record is one of a file of ours. */
export function isOwnRecord(value: JsonObject): boolean {
  return isOwnHeader(value) || (typeof value.v === 'number' && typeof value.handle === 'number');
}

/** Whether a record is the header of a file of ours. */
export function isOwnHeader(value: JsonObject): boolean {
  return value.type === 'session' && value.format === 'longhaul';
}

/**
 * A session of our own, as `writeOwn` wrote it.
 *
 * @example
 * const reading = readOwn({ header: first.value, records, warnings });
 */
export function readOwn({
  header: raw,
  records,
  warnings,
}: {
  /** `{}` where there is none to be read. */
  readonly header: JsonObject;
  readonly records: AsyncIterable<FileRecord>;
  readonly warnings: WarningList;
}): Reading {
  const { id, createdAt, name, cwd } = raw;
  const known = { id: stringOf(id), createdAt: numberOf(createdAt), name: stringOf(name), cwd: stringOf(cwd) };
  const linked = { parent: linkOf(raw.parent), owner: linkOf(raw.owner), source: sourceOf(raw.source) };
  const details = isObject(raw.details) ? { details: raw.details } : {};
  return {
    format: 'longhaul',
    key: known.id ?? '',
    header: { ...defined(known), ...defined(linked), ...details } as Reading['header'],
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
  const mend = createMender();
  const seen = new Set<EntryId>();
  let last = 0;
  for await (const { line, value } of records) {
    const found = acceptable(value, line);
    if (!found) continue;
    seen.add(found.id);
    last = found.handle;
    const { entry, how } = mend(found);
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
      warnings.add({ code: 'out-of-order', message: `@${entry.handle} stands here again, and was left out.`, line });
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
