import type { Entry, EntryId } from '../entry/entry.ts';
import { textsOf } from '../recall/part-text.ts';
import { ConflictError, MissingSessionError, RejectedAppendError, SessionExistsError } from './errors.ts';
import { listed } from './list.ts';
import type { EntryQuery, Head, Hit, Lease, SessionHeader, SessionId, SessionSummary, Store } from './store.ts';
import { firstSummary, summaryAfter } from './summary.ts';

interface MemoryRow {
  readonly id: EntryId;
  readonly handle: number;
  readonly type: string;
  readonly epoch: EntryId | null;
  readonly key: string | undefined;
  /** JSON, so that what is read is what was appended, whatever the caller did to its objects since. */
  readonly text: string;
}

interface Log {
  lease: Lease | null;
  head: Head;
  summary: SessionSummary;
  readonly header: string;
  readonly rows: MemoryRow[];
  readonly byId: Map<EntryId, MemoryRow>;
  readonly byKey: Map<string, MemoryRow>;
}

/**
 * A store that forgets when the process ends: for tests, and for sessions that shall leave no trace.
 *
 * @example
 * const store = createMemoryStore();
 * const session = await createSession({ store });
 */
export function createMemoryStore(): Store {
  const logs = new Map<SessionId, Log>();
  const index = createWordIndex();

  const logOf = (session: SessionId): Log => {
    const log = logs.get(session);
    if (!log) throw new MissingSessionError({ session });
    return log;
  };

  return {
    async create({ header }) {
      if (logs.has(header.id)) throw new SessionExistsError({ session: header.id });
      const text = JSON.stringify(header);
      logs.set(header.id, {
        lease: null,
        head: { last: 0, count: 0, leaf: null, epoch: null },
        summary: firstSummary(JSON.parse(text)),
        header: text,
        rows: [],
        byId: new Map(),
        byKey: new Map(),
      });
    },

    async header(session) {
      const log = logs.get(session);
      return log && (JSON.parse(log.header) as SessionHeader);
    },

    async head(session) {
      return logOf(session).head;
    },

    async append({ session, expect, entries, leaf, epoch }) {
      const log = logOf(session);
      if (expect !== log.head.last) throw new ConflictError({ session, expected: expect, head: log.head });
      const rows = entries.map(rowOf);
      const why = objection({ log, rows });
      if (why !== undefined) throw new RejectedAppendError({ session, why });
      for (const row of rows) {
        log.rows.push(row);
        log.byId.set(row.id, row);
        if (row.key !== undefined && !log.byKey.has(row.key)) log.byKey.set(row.key, row);
        const entry = JSON.parse(row.text) as Entry;
        log.summary = summaryAfter(log.summary, entry);
        index.add({ session, entry });
      }
      const last = rows.at(-1)?.handle ?? log.head.last;
      log.head = { last, count: log.rows.length, leaf, epoch };
      return log.head;
    },

    version: (session) => logs.get(session)?.head.last.toString(),

    async read({ session, query }) {
      return chosen(logOf(session), query).map(({ text }) => JSON.parse(text) as Entry);
    },

    async list(query) {
      return listed({ summaries: [...logs.values()].map(({ summary }) => summary), query: query ?? {} });
    },

    async search({ text, session, limit }) {
      const isOnPath = pathTester((id) => logs.get(id));
      return index.find({ text, session, limit: limit ?? 20, isOnPath });
    },

    async delete(session) {
      logOf(session);
      logs.delete(session);
      index.remove(session);
    },

    async close() {},

    leases: {
      read: async (session) => logOf(session).lease,
      async swap({ session, expect, next }) {
        const log = logOf(session);
        if ((log.lease?.token ?? null) === expect) log.lease = next;
        return log.lease;
      },
    },
  };
}

function rowOf(entry: Entry): MemoryRow {
  return {
    id: entry.id,
    handle: entry.handle,
    type: entry.type,
    epoch: entry.epoch,
    key: entry.type === 'message' ? entry.key : undefined,
    text: JSON.stringify(entry),
  };
}

/** Why these rows cannot follow what is there. */
function objection({ log, rows }: { readonly log: Log; readonly rows: readonly MemoryRow[] }): string | undefined {
  let last = log.head.last;
  const ids = new Set<EntryId>();
  for (const { id, handle } of rows) {
    if (!(handle > last)) return `the handle @${handle} does not come after @${last}`;
    if (!id.isWellFormed()) return `the id of @${handle} is not valid Unicode`;
    if (log.byId.has(id) || ids.has(id)) return `the id ${id} is taken`;
    ids.add(id);
    last = handle;
  }
  return undefined;
}

function chosen(log: Log, query: EntryQuery): MemoryRow[] {
  if ('ids' in query) return inOrder(query.ids.flatMap((id) => log.byId.get(id) ?? []));
  if ('handles' in query) return inOrder(query.handles.flatMap((handle) => rowAt(log, handle) ?? []));
  if ('epoch' in query) return log.rows.filter(({ epoch }) => epoch === query.epoch);
  if ('keys' in query) return inOrder(query.keys.flatMap((key) => log.byKey.get(key) ?? []));
  if ('types' in query) return log.rows.filter(({ type }) => query.types.includes(type));
  const start = firstFrom(log, query.after + 1);
  return log.rows.slice(start, query.limit === undefined ? undefined : start + query.limit);
}

function rowAt(log: Log, handle: number): MemoryRow | undefined {
  const row = log.rows[firstFrom(log, handle)];
  return row?.handle === handle ? row : undefined;
}

/** Where the first row with this handle or a larger one is: rows stand in order of handle, with gaps in a clone. */
function firstFrom({ rows }: Log, handle: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.handle ?? 0) < handle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In order of handle, each once. */
function inOrder(rows: readonly MemoryRow[]): MemoryRow[] {
  return [...new Set(rows)].sort((a, b) => a.handle - b.handle);
}

function pathTester(logOf: (session: SessionId) => Log | undefined) {
  const paths = new Map<SessionId, Set<EntryId>>();
  return ({ session, entry }: { readonly session: SessionId; readonly entry: EntryId }): boolean => {
    let path = paths.get(session);
    if (!path) {
      path = new Set();
      const log = logOf(session);
      let at = log?.head.leaf ?? null;
      while (log && at !== null && !path.has(at)) {
        path.add(at);
        const row = log.byId.get(at);
        at = row ? (JSON.parse(row.text) as Entry).parentId : null;
      }
      paths.set(session, path);
    }
    return path.has(entry);
  };
}

interface Text {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly handle: number;
  readonly part: number;
  readonly text: string;
  readonly words: ReadonlyMap<string, number>;
}

interface WordIndex {
  add(input: { readonly session: SessionId; readonly entry: Entry }): void;
  remove(session: SessionId): void;
  find(input: {
    readonly text: string;
    readonly session: SessionId | undefined;
    readonly limit: number;
    readonly isOnPath: (hit: { readonly session: SessionId; readonly entry: EntryId }) => boolean;
  }): Hit[];
}

/** Search for a store in memory: rare words weigh more, and so do texts on the active path and newer ones. */
function createWordIndex(): WordIndex {
  let texts: Text[] = [];
  return {
    add({ session, entry }) {
      for (const { part, text, isProse } of textsOf(entry)) {
        if (isProse) texts.push({ session, entry: entry.id, handle: entry.handle, part, text, words: counted(text) });
      }
    },
    remove(session) {
      texts = texts.filter((text) => text.session !== session);
    },
    find({ text, session, limit, isOnPath }) {
      const wanted = [...counted(text).keys()];
      const pool = texts.filter((candidate) => session === undefined || candidate.session === session);
      const rarity = new Map(
        wanted.map((word) => {
          const holders = pool.filter(({ words }) => words.has(word)).length;
          return [word, Math.log(1 + pool.length / (1 + holders))];
        }),
      );
      return pool
        .flatMap((candidate) => {
          const score = wanted.reduce((sum, word) => {
            const times = candidate.words.get(word) ?? 0;
            return sum + (times / (times + 1)) * (rarity.get(word) ?? 0);
          }, 0);
          if (score === 0) return [];
          const boost = (isOnPath(candidate) ? 1.5 : 1) * (1 + candidate.handle / (candidate.handle + 1000) / 10);
          return [hit({ candidate, wanted, score: score * boost })];
        })
        .sort((a, b) => b.score - a.score || b.handle - a.handle)
        .slice(0, limit);
    },
  };
}

/** Bounded: an unbounded run of millions of letters overflows the stack of the regular expression engine. */
const word = /[\p{L}\p{N}_]{1,64}/gu;

function counted(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [match] of text.toLowerCase().matchAll(word)) words.set(match, (words.get(match) ?? 0) + 1);
  return words;
}

function hit({
  candidate,
  wanted,
  score,
}: {
  readonly candidate: Text;
  readonly wanted: readonly string[];
  readonly score: number;
}): Hit {
  const { session, entry, handle, part, text } = candidate;
  return { session, entry, handle, part, score, snippet: snippetOf({ text, wanted }) };
}

/** The text around the first word that was found. */
function snippetOf({ text, wanted }: { readonly text: string; readonly wanted: readonly string[] }): string {
  const found = [...text.matchAll(word)].find(([match]) => wanted.includes(match.toLowerCase()));
  const at = found?.index ?? 0;
  const start = Math.max(0, at - 60);
  const end = Math.min(text.length, at + 100);
  const middle = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`;
}
