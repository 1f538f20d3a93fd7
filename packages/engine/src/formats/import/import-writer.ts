import type { Part } from '../../message/index.ts';
import {
  ConflictError,
  type Entry,
  type EntryId,
  type Head,
  type LeafEntry,
  nodeTypes,
  SessionExistsError,
  type SessionHeader,
  type SessionId,
  type Store,
} from '../../session/index.ts';
import { isPlausible } from '../../session/internal.ts';
import { createChain } from '../ids.ts';
import type { EmbeddedEntry, EmbeddedSession, ParsedSession } from '../parsed-session.ts';
import { type Agreement, createComparison, isUnfinished } from './compare.ts';
import { keyOf, sessionOf } from './identity.ts';

/** A session of the file turned out to be in the store already: the two have to be compared before anything is added. */
export class NeedsComparison extends Error {}

/** Brings the sessions of one file to their places in the store. */
export interface ImportWriter {
  /** The main session first. */
  readonly sessions: readonly SessionId[];
  /** Sessions of the store that the file no longer continues. */
  readonly diverged: readonly { readonly session: SessionId; readonly old: SessionId }[];
  readonly mustCompare: boolean;
  /** Whether it has made sessions, and found nothing to write into them. */
  readonly isIdle: boolean;
  /** Whether an answer was left where it is because the file may still say more of it. */
  readonly hasLeft: boolean;
  /** Makes the main session, and says which time it has. */
  begin(): Promise<number>;
  /** Finds out where in the store each session of the file goes on. */
  compare(pieces: AsyncIterable<Entry | EmbeddedEntry>): Promise<void>;
  /** Appends what is new, and says how much that was. */
  write(pieces: AsyncIterable<Entry | EmbeddedEntry>): Promise<number>;
  /** Deletes the sessions that this import made. */
  discard(): Promise<void>;
}

/** The session in the store that a session of the file maps to. */
interface ImportTarget {
  readonly session: SessionId;
  readonly createdAt: number;
  /** How much of it is there already; `undefined` where that is not known yet. */
  readonly agreement: Agreement | undefined;
}

export function createImportWriter({
  store,
  parsed,
  now,
  onProgress,
  signal,
  leaveUnfinished,
}: {
  readonly store: Store;
  readonly parsed: ParsedSession;
  readonly now: () => number;
  readonly onProgress: ((progress: { readonly entries: number }) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly leaveUnfinished: boolean;
}): ImportWriter {
  const main: EmbeddedSession = { key: parsed.key, header: parsed.header };
  const targets = new Map<string, ImportTarget>();
  const copies = new Map<string, number>();
  const created = new Set<SessionId>();
  const diverged: { session: SessionId; old: SessionId }[] = [];
  /** Sessions of the file of which no more is taken. */
  const left = new Set<string>();
  let mustCompare = false;
  let read = 0;
  return {
    get sessions() {
      return [...targets.values()].map(({ session }) => session);
    },
    diverged,
    get mustCompare() {
      return mustCompare;
    },
    get hasLeft() {
      return left.size > 0;
    },
    get isIdle() {
      return created.size > 0 && read === 0;
    },
    async begin() {
      const { createdAt, agreement } = await targetOf(main);
      mustCompare ||= agreement === undefined;
      return createdAt;
    },
    compare,
    write,
    async discard() {
      for (const session of created) await store.delete(session);
      created.clear();
    },
  };

  /** The place of a session of the file; it is made where it is not there. */
  async function targetOf(fileSession: EmbeddedSession): Promise<ImportTarget> {
    return targets.get(fileSession.key) ?? (await makeTarget(fileSession));
  }

  async function makeTarget(fileSession: EmbeddedSession): Promise<ImportTarget> {
    const copy = copies.get(fileSession.key) ?? 1;
    const session = sessionOf({ format: parsed.format, ...fileSession, copy });
    const header = headerOf({ fileSession, session, copy });
    const { createdAt, isNew } = await ensure(header);
    if (isNew) created.add(session);
    const { last } = isNew ? { last: 0 } : await store.head(session);
    const target = { session, createdAt, agreement: last === 0 ? emptyAgreement : undefined };
    targets.set(fileSession.key, target);
    return target;
  }

  function headerOf({
    fileSession,
    session,
    copy,
  }: {
    fileSession: EmbeddedSession;
    session: SessionId;
    copy: number;
  }): SessionHeader {
    const { source, ...rest } = fileSession.header;
    // A session of ours that comes back is not imported from anywhere: it is the session.
    const isOwn = session === rest.id;
    const made = { source: { format: parsed.format, key: keyOf({ key: fileSession.key, copy }) } };
    const said = rest.createdAt;
    const isTrue = said !== undefined && isPlausible({ at: said, now: now() });
    const createdAt = (isTrue ? said : undefined) ?? targets.get(main.key)?.createdAt ?? now();
    const { owner } = fileSession;
    const ownerId = owner && targets.get(owner.key)?.session;
    const owned = ownerId && { owner: { session: ownerId, ...(owner?.call !== undefined && { call: owner.call }) } };
    return { ...rest, v: 1, id: session, createdAt, ...(source ? { source } : isOwn ? {} : made), ...owned };
  }

  /** Makes the session unless it is there; its time is the one that was stored first. */
  async function ensure(header: SessionHeader): Promise<{ readonly createdAt: number; readonly isNew: boolean }> {
    const present = await store.header(header.id);
    if (present) return { createdAt: present.createdAt, isNew: false };
    try {
      await store.create({ header });
      return { createdAt: header.createdAt, isNew: true };
    } catch (error) {
      if (!(error instanceof SessionExistsError)) throw error;
      const { createdAt } = (await store.header(header.id)) ?? header;
      return { createdAt, isNew: false };
    }
  }

  async function compare(pieces: AsyncIterable<Entry | EmbeddedEntry>): Promise<void> {
    const comparisons = new Map<string, ReturnType<typeof createComparison>>();
    const fileSessions = new Map<string, EmbeddedSession>();
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      const { embedded: fileSession, entry } = 'embedded' in piece ? piece : { embedded: main, entry: piece };
      const { session, agreement } = await targetOf(fileSession);
      if (agreement) continue;
      fileSessions.set(fileSession.key, fileSession);
      const comparison =
        comparisons.get(fileSession.key) ?? createComparison({ store, session, head: await store.head(session) });
      comparisons.set(fileSession.key, comparison);
      await comparison.take(entry);
    }
    mustCompare = false;
    for (const [key, comparison] of comparisons) {
      const target = targets.get(key);
      const fileSession = fileSessions.get(key);
      if (!target || !fileSession) continue;
      const agreement = comparison.agreement();
      if (agreement) {
        targets.set(key, { ...target, agreement });
        continue;
      }
      // The store's session has gone another way: the file becomes, or is already, another one.
      copies.set(key, (copies.get(key) ?? 1) + 1);
      const moved = await makeTarget(fileSession);
      diverged.push({ session: moved.session, old: target.session });
      mustCompare ||= moved.agreement === undefined;
    }
  }

  async function write(pieces: AsyncIterable<Entry | EmbeddedEntry>): Promise<number> {
    if (mustCompare) throw new NeedsComparison();
    left.clear();
    const writers = new Map<string, SessionAppender>();
    read = 0;
    for await (const piece of pieces) {
      const { embedded: fileSession, entry } = 'embedded' in piece ? piece : { embedded: main, entry: piece };
      read += 1;
      if (leaveUnfinished && isUnfinished(entry)) left.add(fileSession.key);
      // Entries after a skipped answer depend on it and are imported together with it later.
      if (left.has(fileSession.key)) continue;
      const writer = writers.get(fileSession.key) ?? (await open(fileSession));
      writers.set(fileSession.key, writer);
      signal?.throwIfAborted();
      if (await writer.take(entry)) onProgress?.({ entries: read });
    }
    let added = 0;
    for (const writer of writers.values()) added += await writer.finish();
    onProgress?.({ entries: read });
    return added;
  }

  async function open(fileSession: EmbeddedSession): Promise<SessionAppender> {
    const { session, agreement } = await targetOf(fileSession);
    if (!agreement) {
      mustCompare = true;
      throw new NeedsComparison();
    }
    return new SessionAppender({ store, session, agreement });
  }
}

const emptyAgreement: Agreement = { shared: 0, head: { last: 0, count: 0, leaf: null, epoch: null } };

/** So many entries, or so many characters of them, are made durable at once. */
const batch = { entries: 1000, chars: 4 * 1024 * 1024 };

/** Two imports of one file at the same time take turns; more often than this they are not in each other's way. */
const maxConflicts = 1000;

/** Appends to one session what the file has and the store has not. */
class SessionAppender {
  readonly #store: Store;
  readonly #session: SessionId;
  readonly #shared: number;
  readonly #epochs = new Map<EntryId, EntryId | null>();
  #head: Head;
  #leaf: EntryId | null = null;
  #taken = 0;
  #added = 0;
  /** By how much handles in the store are ahead of those in the file; known when the first new entry comes. */
  #ahead: number | undefined;
  #waiting: Entry[] = [];
  #chars = 0;

  constructor(of: {
    readonly store: Store;
    readonly session: SessionId;
    readonly agreement: Agreement;
  }) {
    this.#store = of.store;
    this.#session = of.session;
    this.#shared = of.agreement.shared;
    this.#head = of.agreement.head;
  }

  /** `true` when something was made durable. */
  async take(entry: Entry): Promise<boolean> {
    this.#taken += 1;
    if (this.#taken > this.#shared) this.#enqueue(entry);
    if (entry.type === 'leaf') this.#leaf = entry.target;
    if (nodeTypes.has(entry.type)) {
      this.#epochs.set(entry.id, entry.epoch);
      this.#leaf = entry.id;
    }
    // An epoch belongs to what it puts in force, right before it: they become durable together.
    if (entry.type === 'compaction' || entry.type === 'context_edit' || entry.type === 'prune') return false;
    if (this.#waiting.length < batch.entries && this.#chars < batch.chars) return false;
    await this.#flush();
    return true;
  }

  /** How many entries were added. */
  async finish(): Promise<number> {
    await this.#flush();
    return this.#added;
  }

  #enqueue(entry: Entry): void {
    if (this.#ahead === undefined) {
      const moves = nodeTypes.has(entry.type) && entry.parentId !== this.#head.leaf && this.#head.last > 0;
      this.#ahead = Math.max(0, this.#head.last + (moves ? 2 : 1) - entry.handle);
      if (moves) this.#waiting.push(moveBefore({ entry, head: this.#head }));
    }
    const handle = entry.handle + this.#ahead;
    // Brought in meanwhile by another import of the same file.
    if (handle <= this.#head.last) return;
    this.#waiting.push(this.#ahead === 0 ? entry : { ...entry, handle });
    this.#chars += sizeOf(entry);
  }

  async #flush(): Promise<void> {
    const leaf = this.#leaf;
    const epoch = leaf === null ? null : (this.#epochs.get(leaf) ?? null);
    for (let turn = 0; this.#waiting.length > 0; turn += 1) {
      try {
        const where = { session: this.#session, expect: this.#head.last, leaf, epoch };
        this.#head = await this.#store.append({ ...where, entries: this.#waiting });
        this.#added += this.#waiting.length;
        break;
      } catch (error) {
        if (!(error instanceof ConflictError) || turn > maxConflicts) throw error;
        await this.#giveWay(error);
      }
    }
    this.#waiting = [];
    this.#chars = 0;
  }

  /** Another import of the same file was faster: what it has brought in need not be brought in again. */
  async #giveWay(conflict: ConflictError): Promise<void> {
    const { last: newest } = conflict.head;
    const common = this.#waiting.findLast((entry) => entry.handle <= newest);
    const query = { handles: common ? [common.handle] : [] };
    const [stored] = common ? await this.#store.read({ session: this.#session, query }) : [];
    if (!common || stored?.id !== common.id) throw conflict;
    this.#waiting = this.#waiting.filter((entry) => entry.handle > newest);
    this.#head = conflict.head;
  }
}

/** Takes the session to where the file goes on. */
function moveBefore({ entry, head }: { readonly entry: Entry; readonly head: Head }): Entry {
  const move: Omit<LeafEntry, 'id'> = {
    v: 1,
    parentId: head.leaf,
    handle: head.last + 1,
    at: entry.at,
    epoch: head.epoch,
    type: 'leaf',
    target: entry.parentId,
    reason: 'move',
  };
  return { ...move, id: createChain({ seed: `move\n${entry.id}` })(move) };
}

/** About how large an entry is; exactness would cost a second serialization. */
function sizeOf(entry: Entry): number {
  if (entry.type !== 'message') return 200;
  return entry.message.parts.reduce((sum, part) => sum + partSize(part), 200);
}

function partSize(part: Part): number {
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
