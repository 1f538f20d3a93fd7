import { type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import { ConflictError, SessionExistsError } from '../store/errors.ts';
import type { SessionHeader, SessionId, Store } from '../store/store.ts';
import { sessionIdOf } from './chain.ts';
import { defaultLimits, type ImportLimits, openReading } from './open.ts';
import type { ImportFormat, Reading } from './reading.ts';
import { createWarnings, type FormatWarning } from './report.ts';

/** What came of an import. */
export interface Imported {
  readonly session: SessionId;
  readonly format: ImportFormat;
  /** How many entries this import added: none where it was all there already. */
  readonly added: number;
  readonly warnings: readonly FormatWarning[];
}

/** So many entries, or so many characters of them, are made durable at once. */
const batch = { entries: 1000, chars: 4 * 1024 * 1024 };

/** Two imports of one file at the same time take turns; more often than this they are not in each other's way. */
const mostTurns = 1000;

/**
 * Brings a file into a store as a session. The same file is the same session: a second import adds what the first, killed
 * or run on a shorter file, did not bring in, and nothing else. Where the session in the store has gone another way than
 * the file, the file becomes a session of its own.
 *
 * @example
 * const { session, warnings } = await importSession({ store, open: () => createReadStream('chat.jsonl') });
 */
export async function importSession({
  store,
  open,
  format,
  limits = defaultLimits,
  now = Date.now,
  onProgress,
  signal,
}: {
  readonly store: Store;
  /** The bytes of the file, from its beginning each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly format?: ImportFormat;
  readonly limits?: ImportLimits;
  /** The time of sessions whose file has none. */
  readonly now?: () => number;
  readonly onProgress?: (progress: { readonly entries: number }) => void;
  readonly signal?: AbortSignal;
}): Promise<Imported> {
  for (let copy = 1; ; copy += 1) {
    const { reading, warnings } = await read();
    const session = idOf({ reading, copy });
    const header = headerOf({ reading, session, copy, createdAt: reading.header.createdAt ?? now() });
    const { createdAt, created } = await ensure({ store, header });
    const { last } = await store.head(session);
    const fits = last === 0 || (await isSame({ store, session, last, entries: reading.entries({ createdAt }) }));
    if (!fits) continue;
    const source = last === 0 ? { reading, warnings } : await read();
    try {
      const entries = unreadable(source.reading.entries({ createdAt }));
      const added = await append({ store, session, entries, onProgress, signal });
      return { session, format: reading.format, added, warnings: source.warnings.list };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // A file that is refused half-way leaves nothing behind; what a full disk or a kill stopped can be continued.
      if (created) await store.delete(session);
      throw error.cause;
    }
  }

  async function read() {
    const warnings = createWarnings();
    const reading = await openReading({ bytes: open(), limits, warnings, ...(format && { format }) });
    return { reading, warnings };
  }
}

function idOf({ reading, copy }: { readonly reading: Reading; readonly copy: number }): SessionId {
  const { format, key, header } = reading;
  if (copy === 1 && header.id !== undefined && isUuid(header.id)) return header.id;
  return sessionIdOf({ format, key: copy === 1 ? key : `${key}\n${copy}` });
}

function headerOf(of: {
  readonly reading: Reading;
  readonly session: SessionId;
  readonly copy: number;
  readonly createdAt: number;
}): SessionHeader {
  const { reading, session, copy, createdAt } = of;
  const { format, key, header } = reading;
  // A session of ours that comes back is not imported from anywhere: it is the session.
  const isOwn = session === header.id;
  const made = { source: { format, key: copy === 1 ? key : `${key}\n${copy}` } };
  const { source, ...rest } = header;
  return { ...rest, v: 1, id: session, createdAt, ...(source ? { source } : isOwn ? {} : made) };
}

/** A failure of the file, as opposed to one of the store. */
class Unreadable extends Error {}

async function* unreadable(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  try {
    yield* entries;
  } catch (cause) {
    throw new Unreadable('The file cannot be read.', { cause });
  }
}

/** Makes the session unless it is there; its time is the one that was stored first. */
async function ensure({
  store,
  header,
}: {
  readonly store: Store;
  readonly header: SessionHeader;
}): Promise<{ readonly createdAt: number; readonly created: boolean }> {
  const present = await store.header(header.id);
  if (present) return { createdAt: present.createdAt, created: false };
  try {
    await store.create({ header });
    return { createdAt: header.createdAt, created: true };
  } catch (error) {
    if (!(error instanceof SessionExistsError)) throw error;
    const { createdAt } = (await store.header(header.id)) ?? header;
    return { createdAt, created: false };
  }
}

/** Whether the stored log and the file are the same as far as both go. Ids are made from all that came before them. */
async function isSame({
  store,
  session,
  last,
  entries,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly last: number;
  readonly entries: AsyncIterable<Entry>;
}): Promise<boolean> {
  let newest: Entry | undefined;
  for await (const entry of entries) {
    if (entry.handle > last) break;
    newest = entry;
  }
  if (!newest) return true;
  const [stored] = await store.read({ session, query: { handles: [newest.handle] } });
  return stored?.id === newest.id;
}

async function append({
  store,
  session,
  entries,
  onProgress,
  signal,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly entries: AsyncIterable<Entry>;
  readonly onProgress: ((progress: { readonly entries: number }) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}): Promise<number> {
  const epochs = new Map<EntryId, EntryId | null>();
  let leaf: EntryId | null = null;
  let { last } = await store.head(session);
  let waiting: Entry[] = [];
  let chars = 0;
  let added = 0;
  let read = 0;
  for await (const entry of entries) {
    if (entry.type === 'leaf') leaf = entry.target;
    if (nodeTypes.has(entry.type)) {
      epochs.set(entry.id, entry.epoch);
      leaf = entry.id;
    }
    read += 1;
    if (entry.handle <= last) continue;
    waiting.push(entry);
    chars += sizeOf(entry);
    // An epoch belongs to the compaction before it: they become durable together.
    if (entry.type === 'compaction' || entry.type === 'context_edit') continue;
    if (waiting.length >= batch.entries || chars >= batch.chars) await flush();
  }
  await flush();
  return added;

  async function flush(): Promise<void> {
    signal?.throwIfAborted();
    const epoch = leaf === null ? null : (epochs.get(leaf) ?? null);
    for (let turn = 0; waiting.length > 0; turn += 1) {
      try {
        const head = await store.append({ session, expect: last, entries: waiting, leaf, epoch });
        last = head.last;
        added += waiting.length;
        break;
      } catch (error) {
        if (!(error instanceof ConflictError) || turn > mostTurns) throw error;
        await giveWay(error);
      }
    }
    waiting = [];
    chars = 0;
    onProgress?.({ entries: read });
  }

  /** Another import of the same file was faster: what it has brought in need not be brought in again. */
  async function giveWay(conflict: ConflictError): Promise<void> {
    const { last: newest } = conflict.head;
    const common = waiting.findLast((entry) => entry.handle <= newest);
    const [stored] = common ? await store.read({ session, query: { handles: [common.handle] } }) : [];
    if (!common || stored?.id !== common.id) throw conflict;
    waiting = waiting.filter((entry) => entry.handle > newest);
    last = newest;
  }
}

/** About how large an entry is; exactness would cost a second serialisation. */
function sizeOf(entry: Entry): number {
  if (entry.type !== 'message') return 200;
  return entry.message.parts.reduce((sum, part) => sum + partSize(part), 200);
}

function partSize(part: Extract<Entry, { type: 'message' }>['message']['parts'][number]): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool_call':
      return part.arguments.length;
    case 'tool_result':
      return part.content.reduce((sum, inner) => sum + partSize(inner), 0);
    case 'image':
    case 'document':
      return part.source.kind === 'base64' ? part.source.data.length : 100;
    default:
      return 1000;
  }
}

function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
}
