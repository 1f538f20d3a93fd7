import type { Part } from '../../message/index.ts';
import { type Context, contextOf } from '../context/context.ts';
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
import { type CompactionInput, compactionDrafts } from '../epoch/compaction.ts';
import { editDrafts } from '../epoch/edit.ts';
import { headDrafts } from '../epoch/head.ts';
import { pruneDrafts } from '../epoch/prune.ts';
import { contextMoved, entryMissing, notANode, nothingToRedo, nothingToUndo, notOnPath } from '../errors.ts';
import { redoDraft, undoDraft } from '../history/drafts.ts';
import { type History, historyOf, historyTypes } from '../history/history.ts';
import { type Handle, parseHandle } from '../recall/handle.ts';
import { type Recalled, recallFrom } from '../recall/recall.ts';
import type { CopyInput, EntryOf, Moved, Reversal, Session } from '../session.ts';
import type { EntryQuery, Head, Hit, SessionHeader, SessionId, Store } from '../store/store.ts';
import { type Divergence, divergence } from '../tree/divergence.ts';
import { createTree, type Tree } from '../tree/tree.ts';
import { pathOf } from '../tree/walk.ts';
import { copyAll, copyPath, pages } from './copy.ts';
import { EntryCache } from './entry-cache.ts';
import type { Stamper } from './finalize-entry.ts';
import { loadLive } from './load.ts';
import { type Live, Writer } from './writer.ts';

/** Entries whose effect comes with the epoch entry that stands on them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/** A session over any store. */
export class LiveSession implements Session {
  readonly header: SessionHeader;
  readonly #store: Store;
  readonly #stamper: Stamper;
  readonly #window: EntryCache;
  readonly #writer: Writer;

  constructor({
    store,
    header,
    stamper,
    window,
    live,
  }: {
    readonly store: Store;
    readonly header: SessionHeader;
    readonly stamper: Stamper;
    readonly window: EntryCache;
    readonly live: Live;
  }) {
    this.header = header;
    this.#store = store;
    this.#stamper = stamper;
    this.#window = window;
    this.#writer = new Writer({ store, session: header.id, stamper, window, live });
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
      const ids = summary ? [this.#stamper.nextId(), this.#stamper.nextId()] : [];
      // Told at the place the session moved to, and naming the place it left: pi recorded the destination as origin.
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
      const parent = action.entry.parentId === null ? undefined : await this.#window.fetch(action.entry.parentId);
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

  async history(): Promise<History> {
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
      const ids = messages.map(() => this.#stamper.nextId());
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

  async fork({ at, ...input }: CopyInput & { readonly at?: EntryId | null } = {}): Promise<Session> {
    if (at !== undefined) await this.#node(at);
    const forked = await this.#copy({ input, copy: copyAll });
    if (at !== undefined) await forked.move({ to: at });
    return forked;
  }

  clone(input: CopyInput = {}): Promise<Session> {
    return this.#copy({ input, copy: copyPath });
  }

  #copy({ input, copy }: { readonly input: CopyInput; readonly copy: typeof copyAll }): Promise<Session> {
    return this.#writer.act(async () => {
      const { id, cwd, name } = this.header;
      const head = this.head;
      const header: SessionHeader = {
        v: 1,
        id: input.id ?? this.#stamper.nextId(),
        createdAt: this.#stamper.now(),
        ...((input.name ?? name) !== undefined && { name: input.name ?? name }),
        ...(cwd !== undefined && { cwd }),
        parent: { session: id, ...(head.leaf !== null && { entry: head.leaf }) },
        details: { ...input.details, copied: { last: head.last } },
      };
      await copy({ store: this.#store, from: id, header, head });
      const window = new EntryCache({ store: this.#store, session: header.id });
      const live = await loadLive({ store: this.#store, session: header.id, window, allowDamage: true });
      const copied = new LiveSession({ store: this.#store, header, stamper: this.#stamper, window, live });
      return { drafts: [], result: () => copied };
    });
  }

  read(query: EntryQuery): Promise<Entry[]> {
    return this.#store.read({ session: this.id, query });
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

  async tree(): Promise<Tree> {
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
    // Whoever opened a damaged session knows.
    const allowDamage = this.context.problems.length > 0;
    return this.#writer.reload(() =>
      loadLive({ store: this.#store, session: this.id, window: this.#window, allowDamage }),
    );
  }

  /** A window of its own for a look elsewhere, so that what was looked at does not stay in memory. */
  #view(): EntryCache {
    return this.#window.copy();
  }

  async #entry(id: EntryId): Promise<Entry> {
    const entry = await this.#window.fetch(id);
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
