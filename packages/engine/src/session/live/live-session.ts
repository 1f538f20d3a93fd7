import type { Part } from '../../message/index.ts';
import { type Context, contextOf, emptyContext } from '../context/context.ts';
import {
  type Draft,
  type Entry,
  type EntryId,
  type EpochEntry,
  type LabelEntry,
  type LeafEntry,
  nodeTypes,
  type PinEntry,
  type PruneEntry,
} from '../entry/entry.ts';
import { createIds, type NextId } from '../entry/id.ts';
import { storedTypes, upgradeEntry } from '../entry/legacy-notes.ts';
import { type CompactionInput, compactionDrafts } from '../epoch/compaction.ts';
import { editDrafts, headDrafts, pruneDrafts } from '../epoch/drafts.ts';
import { contextMoved, entryMissing, notANode, nothingToRedo, nothingToUndo, notOnPath } from '../errors.ts';
import { historyOf, historyTypes, redoDraft, type UndoHistory, undoDraft } from '../history/history.ts';
import { type Handle, parseHandle } from '../recall/handle.ts';
import { type Recalled, recallFrom } from '../recall/recall.ts';
import type { CopyOptions, EntryOf, Moved, Reversal, Session } from '../session.ts';
import { MissingSessionError } from '../store/errors.ts';
import type { EntryQuery, Head, Hit, SessionHeader, SessionId, Store } from '../store/store.ts';
import { type Divergence, divergence } from '../tree/divergence.ts';
import { createTree, type EntryTree } from '../tree/tree.ts';
import { pathOf } from '../tree/walk.ts';
import { copyAll, copyPath, pages } from './copy.ts';
import { EntryCache } from './entry-cache.ts';
import type { EntryFinalizer } from './finalize-entry.ts';
import { loadLive } from './load.ts';
import { type Live, SessionWriter } from './writer.ts';

/** Entries that take effect through the epoch entry after them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/** A session over any store. */
class LiveSession implements Session {
  readonly header: SessionHeader;
  readonly #store: Store;
  readonly #finalizer: EntryFinalizer;
  readonly #cache: EntryCache;
  readonly #writer: SessionWriter;

  constructor({
    store,
    header,
    finalizer,
    cache,
    live,
  }: {
    readonly store: Store;
    readonly header: SessionHeader;
    readonly finalizer: EntryFinalizer;
    readonly cache: EntryCache;
    readonly live: Live;
  }) {
    this.header = header;
    this.#store = store;
    this.#finalizer = finalizer;
    this.#cache = cache;
    this.#writer = new SessionWriter({ store, session: header.id, finalizer, cache, live });
  }

  get id(): SessionId {
    return this.header.id;
  }

  get head(): Head {
    return this.#writer.live.head;
  }

  get context(): Context {
    return this.#writer.live.context;
  }

  async append<D extends Draft>(draft: D): Promise<EntryOf<D>> {
    const [entry] = await this.#writer.append([draft]);
    return entry as EntryOf<D>;
  }

  appendBatch(drafts: readonly Draft[]): Promise<Entry[]> {
    return this.#writer.append(drafts);
  }

  move(input: Parameters<Session['move']>[0]): Promise<Moved> {
    return this.#go({ ...input, reason: 'move' });
  }

  rewind({ to }: { readonly to: EntryId | null }): Promise<Moved> {
    return this.#go({ to, reason: 'rewind' });
  }

  #go({
    to,
    reason,
    summary,
    label,
    planned,
  }: Parameters<Session['move']>[0] & { readonly reason: 'move' | 'rewind' }): Promise<Moved> {
    return this.#writer.act(async () => {
      await this.#node(to);
      const from = this.head.leaf;
      if (planned && planned.from !== from) throw contextMoved();
      const { abandoned, gained } = await this.#compare({ from, to });
      if (reason === 'rewind' && to !== null && gained.length > 0) throw notOnPath(await this.#entry(to));
      if (to === from) return { drafts: [], result: () => ({ entry: undefined, summary: undefined, abandoned: [] }) };
      const drafts: Draft[] = [{ type: 'leaf', target: to, reason }];
      const ids = summary ? [this.#finalizer.nextId(), this.#finalizer.nextId()] : [];
      // The summary is appended at the target and names the position it left; pi recorded the target as origin.
      if (summary) {
        const { text, details } = summary;
        drafts.push({ type: 'branch_summary', fromId: from, summary: text, ...(details !== undefined && { details }) });
      }
      const named = ids[1] ?? to;
      if (label !== undefined && named !== null) drafts.push({ type: 'label', target: named, label });
      const result = (entries: readonly Entry[]): Moved => ({
        entry: of(entries, 'leaf'),
        summary: of(entries, 'branch_summary'),
        abandoned,
      });
      return { drafts, ids, result };
    });
  }

  undo(): Promise<Reversal> {
    return this.#writer.act(async () => {
      const action = (await this.history()).done.at(-1);
      if (!action) throw nothingToUndo();
      const parent = action.entry.parentId === null ? undefined : await this.#cache.fetch(action.entry.parentId);
      const before = parent && causes.has(parent.type) ? parent.parentId : action.entry.parentId;
      return this.#reversal({ draft: undoDraft({ action, before }), action: action.entry });
    });
  }

  redo(): Promise<Reversal> {
    return this.#writer.act(async () => {
      const action = (await this.history()).undone.at(-1);
      if (!action) throw nothingToRedo();
      return this.#reversal({ draft: redoDraft(action), action: action.entry });
    });
  }

  #reversal({ draft, action }: { readonly draft: Draft; readonly action: EpochEntry | LeafEntry }) {
    const result = (entries: readonly Entry[]): Reversal => {
      const entry = of(entries, 'epoch') ?? of(entries, 'leaf');
      if (!entry) throw new TypeError('An undo or redo is one epoch or leaf entry.');
      return { entry, action };
    };
    return { drafts: [draft], result };
  }

  async history(): Promise<UndoHistory> {
    return historyOf({ entries: await this.read({ types: historyTypes }) });
  }

  label({ target, label }: Parameters<Session['label']>[0]): Promise<LabelEntry> {
    return this.#writer.act(async () => {
      await this.#entry(target);
      return single({ type: 'label', target, label });
    });
  }

  pin(input: Omit<Draft<PinEntry>, 'type'>): Promise<PinEntry> {
    return this.#writer.act(async () => {
      if (input.from) await this.#entry(input.from.entry);
      if (input.removes !== undefined) await this.#entry(input.removes);
      return single({ type: 'pin', ...input });
    });
  }

  edit(input: { readonly target: EntryId; readonly replacement: readonly Part[] | null }) {
    return this.#writer.act(async () => ({
      drafts: editDrafts({ context: this.context, ...input }),
      result: (entries) => ({ edit: only(entries, 'context_edit'), epoch: only(entries, 'epoch') }),
    }));
  }

  prune({ targets }: { readonly targets: PruneEntry['targets'] }) {
    return this.#writer.act(async () => ({
      drafts: pruneDrafts({ context: this.context, targets }),
      result: (entries) => ({ prune: only(entries, 'prune'), epoch: only(entries, 'epoch') }),
    }));
  }

  changeHead({ messages, model }: Parameters<Session['changeHead']>[0]): Promise<EpochEntry | undefined> {
    return this.#writer.act(async () => {
      const ids = messages.map(() => this.#finalizer.nextId());
      const drafts = headDrafts({ context: this.context, messages, ids, ...(model && { model }) });
      return { drafts, ids, result: (entries) => of(entries, 'epoch') };
    });
  }

  compact(input: CompactionInput) {
    return this.#writer.act(async () => ({
      drafts: compactionDrafts({ context: this.context, ...input }),
      result: (entries) => ({ compaction: only(entries, 'compaction'), epoch: only(entries, 'epoch') }),
    }));
  }

  async fork({ at, ...input }: CopyOptions & { readonly at?: EntryId | null } = {}): Promise<Session> {
    if (at !== undefined) await this.#node(at);
    const forked = await this.#copy({ input, copy: copyAll });
    if (at !== undefined) await forked.move({ to: at });
    return forked;
  }

  async clone({ at, ...input }: CopyOptions & { readonly at?: EntryId | null } = {}): Promise<Session> {
    if (at !== undefined) await this.#node(at);
    const epoch = at === undefined || at === null ? null : (await this.#entry(at)).epoch;
    return await this.#copy({ input, copy: copyPath, ...(at !== undefined && { place: { leaf: at, epoch } }) });
  }

  #copy({
    input,
    copy,
    place,
  }: {
    readonly input: CopyOptions;
    readonly copy: typeof copyAll;
    /** Where the copy ends, where that is not the leaf. */
    readonly place?: Pick<Head, 'leaf' | 'epoch'>;
  }): Promise<Session> {
    return this.#writer.act(async () => {
      const { id, cwd, name } = this.header;
      const head = { ...this.head, ...place };
      const header: SessionHeader = {
        v: 1,
        id: input.id ?? this.#finalizer.nextId(),
        createdAt: this.#finalizer.now(),
        ...((input.name ?? name) !== undefined && { name: input.name ?? name }),
        ...(cwd !== undefined && { cwd }),
        parent: { session: id, ...(head.leaf !== null && { entry: head.leaf }) },
        details: { ...input.details, copied: { last: head.last } },
      };
      await copy({ store: this.#store, from: id, header, head });
      const cache = new EntryCache({ store: this.#store, session: header.id });
      const live = await loadLive({ store: this.#store, session: header.id, cache, allowDamage: true });
      const copied = new LiveSession({ store: this.#store, header, finalizer: this.#finalizer, cache, live });
      return { drafts: [], result: () => copied };
    });
  }

  async read(query: EntryQuery): Promise<Entry[]> {
    const stored = 'types' in query ? { types: storedTypes(query.types) } : query;
    const entries = (await this.#store.read({ session: this.id, query: stored })).map(upgradeEntry);
    return 'types' in query ? entries.filter(({ type }) => query.types.includes(type)) : entries;
  }

  async path({ leaf = this.head.leaf }: { readonly leaf?: EntryId | null } = {}): Promise<readonly Entry[]> {
    const { byId } = await this.tree();
    if (leaf !== null && !byId.has(leaf)) throw entryMissing({ what: leaf });
    return pathOf({ entries: byId, leaf }).entries;
  }

  async contextAt({ leaf }: { readonly leaf: EntryId | null }): Promise<Context> {
    if (leaf === this.head.leaf) return this.context;
    await this.#node(leaf);
    return this.#view().settle((entries) => contextOf({ entries, leaf }));
  }

  compare({ to }: { readonly to: EntryId | null }): Promise<Divergence> {
    return this.#compare({ from: this.head.leaf, to });
  }

  async #compare({ from, to }: { readonly from: EntryId | null; readonly to: EntryId | null }): Promise<Divergence> {
    return this.#view().settle((entries) => divergence({ entries, from, to }));
  }

  async tree(): Promise<EntryTree> {
    const all: Entry[] = [];
    const { last } = this.head;
    for await (const entries of pages({ store: this.#store, session: this.id, last })) all.push(...entries);
    return createTree({ entries: all });
  }

  async recall({
    handle,
    page,
    pageLength,
  }: {
    readonly handle: string | Handle;
    readonly page?: number;
    readonly pageLength?: number;
  }): Promise<Recalled> {
    const wanted = typeof handle === 'string' ? parseHandle(handle) : handle;
    const [entry] = await this.read({ handles: [wanted.entry] });
    if (!entry) throw entryMissing({ what: `@${wanted.entry}` });
    return recallFrom({ entry, handle: wanted, page, pageLength });
  }

  search({ text, limit }: { readonly text: string; readonly limit?: number }): Promise<Hit[]> {
    return this.#store.search({ text, session: this.id, ...(limit !== undefined && { limit }) });
  }

  watch(watcher: (entries: readonly Entry[]) => void): () => void {
    return this.#writer.watch(watcher);
  }

  reload(): Promise<void> {
    // A session that was opened with `allowDamage` may be damaged.
    const allowDamage = this.context.problems.length > 0;
    return this.#writer.reload(() =>
      loadLive({ store: this.#store, session: this.id, cache: this.#cache, allowDamage }),
    );
  }

  /** A window of its own for a look elsewhere, so that what was looked at does not stay in memory. */
  #view(): EntryCache {
    return this.#cache.copy();
  }

  async #entry(id: EntryId): Promise<Entry> {
    const entry = await this.#cache.fetch(id);
    if (!entry) throw entryMissing({ what: id });
    return entry;
  }

  async #node(id: EntryId | null): Promise<void> {
    if (id === null) return;
    const entry = await this.#entry(id);
    if (!nodeTypes.has(entry.type)) throw notANode(entry);
  }
}

function single<D extends Draft>(draft: D) {
  return { drafts: [draft], result: (entries: readonly Entry[]) => only(entries, draft.type) as EntryOf<D> };
}

function of<T extends Entry['type']>(
  entries: readonly Entry[],
  type: T,
): Extract<Entry, { readonly type: T }> | undefined {
  return entries.find((entry): entry is Extract<Entry, { readonly type: T }> => entry.type === type);
}

function only<T extends Entry['type']>(entries: readonly Entry[], type: T): Extract<Entry, { readonly type: T }> {
  const entry = of(entries, type);
  if (!entry) throw new TypeError(`No ${type} was appended.`);
  return entry;
}

/** What gives ids and times, injected in tests. */
export interface SessionTools {
  readonly now?: () => number;
  readonly nextId?: NextId;
}

/**
 * Creates a session.
 *
 * @example
 * const session = await createSession({ store: createMemoryStore(), header: { cwd: '/repo' } });
 * await session.append({
 *   type: 'message',
 *   message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Fix the build.' }] },
 * });
 */
export async function createSession({
  store,
  header,
  ...tools
}: SessionTools & {
  readonly store: Store;
  readonly header?: Partial<Omit<SessionHeader, 'v'>>;
}): Promise<Session> {
  const finalizer = finalizerOf(tools);
  const whole: SessionHeader = { v: 1, id: finalizer.nextId(), createdAt: finalizer.now(), ...header };
  await store.create({ header: whole });
  const head: Head = { last: 0, count: 0, leaf: null, epoch: null };
  const cache = new EntryCache({ store, session: whole.id });
  return new LiveSession({ store, header: whole, finalizer, cache, live: { head, context: emptyContext } });
}

/**
 * Opens a session at its leaf. It reads the epoch in force and what it sends, not the log before it, so a session
 * opens as fast after a year as on its first day. A log that lacks what would be sent is refused with a `DamageError`;
 * `allowDamage` opens it all the same, and `context.problems` says what is missing.
 *
 * @example
 * const session = await openSession({ store, id });
 * console.log(session.context.items.length);
 */
export async function openSession({
  store,
  id,
  allowDamage = false,
  ...tools
}: SessionTools & {
  readonly store: Store;
  readonly id: SessionId;
  readonly allowDamage?: boolean;
}): Promise<Session> {
  const header = await store.header(id);
  if (!header) throw new MissingSessionError({ session: id });
  const cache = new EntryCache({ store, session: id });
  const live = await loadLive({ store, session: id, cache, allowDamage });
  return new LiveSession({ store, header, finalizer: finalizerOf(tools), cache, live });
}

function finalizerOf({ now = Date.now, nextId = createIds({ now }) }: SessionTools): EntryFinalizer {
  return { now, nextId };
}
