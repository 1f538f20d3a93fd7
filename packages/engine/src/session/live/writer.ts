import { advance } from '../context/advance.ts';
import { type Context, contextOf } from '../context/context.ts';
import { type Draft, type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import { draftProblems } from '../entry/schema.ts';
import { invalidEntry, keyReused } from '../errors.ts';
import type { Head, SessionId, Store } from '../store/store.ts';
import type { EntryCache } from './entry-cache.ts';
import { type EntryFinalizer, finalizeEntry, headAfter, resolveSent } from './finalize-entry.ts';

/** The head of a session and its context. */
export interface Live {
  readonly head: Head;
  readonly context: Context;
}

/** What an act appends, and what its caller gets when that is durable. */
export interface WriteAction<T> {
  readonly drafts: readonly Draft[];
  /** Ids for the first of the drafts, so that a later one can name them. */
  readonly ids?: readonly EntryId[];
  readonly result: (entries: readonly Entry[]) => T;
}

type WriteTask = { readonly settle: (error: unknown) => void } & (
  | { readonly drafts: readonly Draft[]; readonly resolve: (entries: Entry[]) => void }
  | { readonly perform: () => Promise<void> }
);

/**
 * The one way in which a session writes. Appends that wait for each other go to the store as one, so that they share a
 * sync; acts (moves, undo: what must see everything before it) go alone. `live` changes only when the store has
 * acknowledged: a failed append leaves the session where it was (pi left entries in memory whose parent was not on
 * disk, #11460).
 */
export class SessionWriter {
  readonly #store: Store;
  readonly #session: SessionId;
  readonly #finalizer: EntryFinalizer;
  readonly #cache: EntryCache;
  readonly #queue: WriteTask[] = [];
  readonly #watchers = new Set<(entries: readonly Entry[]) => void>();
  #live: Live;
  #isBusy = false;

  constructor({
    store,
    session,
    finalizer,
    cache,
    live,
  }: {
    readonly store: Store;
    readonly session: SessionId;
    readonly finalizer: EntryFinalizer;
    readonly cache: EntryCache;
    readonly live: Live;
  }) {
    this.#store = store;
    this.#session = session;
    this.#finalizer = finalizer;
    this.#cache = cache;
    this.#live = live;
  }

  get live(): Live {
    return this.#live;
  }

  append(drafts: readonly Draft[]): Promise<Entry[]> {
    return new Promise((resolve, reject) => this.#enqueue({ drafts: drafts.map(settled), resolve, settle: reject }));
  }

  /** Runs `plan` when everything before it is durable, and appends what it says. */
  act<T>(plan: () => Promise<WriteAction<T>>): Promise<T> {
    return new Promise((resolve, reject) => {
      const perform = async () => {
        const { drafts, ids, result } = await plan();
        const staged = await this.#stage({ live: this.#live, drafts: drafts.map(settled), ids });
        await this.#commit({ live: staged.live, entries: staged.entries });
        resolve(result(staged.entries));
      };
      this.#enqueue({ perform, settle: reject });
    });
  }

  /** Calls with everything that is appended from now on, once it is durable, until the answer is called. */
  watch(watcher: (entries: readonly Entry[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Replaces the head and context by what `read` finds in the store. */
  reload(read: () => Promise<Live>): Promise<void> {
    return this.act(async () => {
      this.#live = await read();
      return { drafts: [], result: () => undefined };
    });
  }

  #enqueue(task: WriteTask): void {
    this.#queue.push(task);
    if (!this.#isBusy) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    for (let task = this.#queue[0]; task; task = this.#queue[0]) {
      if ('perform' in task) {
        this.#queue.shift();
        await task.perform().catch(task.settle);
      } else {
        await this.#appendWaiting();
      }
    }
    this.#isBusy = false;
  }

  /** Appends everything that waits, up to the next act, as one. */
  async #appendWaiting(): Promise<void> {
    let live = this.#live;
    const entries: Entry[] = [];
    const answers: { readonly task: WriteTask; readonly resolve: () => void }[] = [];
    for (let task = this.#queue[0]; task && 'drafts' in task; task = this.#queue[0]) {
      const { drafts, resolve, settle } = task;
      this.#queue.shift();
      try {
        const known = await alreadyAppended({ drafts, pending: entries, store: this.#store, session: this.#session });
        const staged = known ? undefined : await this.#stage({ live, drafts });
        if (staged) {
          live = staged.live;
          entries.push(...staged.entries);
        }
        const given = known ?? staged?.entries ?? [];
        answers.push({ task, resolve: () => resolve(given) });
      } catch (error) {
        settle(error);
      }
    }
    try {
      await this.#commit({ live, entries });
      for (const { resolve } of answers) resolve();
    } catch (error) {
      for (const { task } of answers) task.settle(error);
    }
  }

  /** The entries that the drafts become, and where the session will stand. Nothing is written. */
  async #stage({
    live,
    drafts,
    ids = [],
  }: {
    readonly live: Live;
    readonly drafts: readonly Draft[];
    readonly ids?: readonly EntryId[] | undefined;
  }): Promise<{ readonly live: Live; readonly entries: Entry[] }> {
    const entries: Entry[] = [];
    let { head } = live;
    try {
      for (const [index, given] of drafts.entries()) {
        const draft = resolveSent({ draft: given, handle: head.last + 1 });
        const problems = draftProblems(draft);
        if (problems.length > 0) throw invalidEntry({ type: draft.type, problems });
        if (draft.type === 'leaf' && draft.target !== null) await this.#cache.fetch(draft.target);
        const entry = finalizeEntry({
          draft,
          head,
          id: ids[index] ?? this.#finalizer.nextId(),
          at: this.#finalizer.now(),
        });
        entries.push(entry);
        // Notes are never parents, so they are not cached.
        if (nodeTypes.has(entry.type)) this.#cache.add([entry]);
        head = headAfter({ head, entry, entries: this.#cache });
      }
      const context = await this.#contextAfter({ context: live.context, entries });
      return { live: { head, context }, entries };
    } catch (error) {
      this.#cache.remove(entries);
      throw error;
    }
  }

  async #contextAfter({
    context,
    entries,
  }: {
    readonly context: Context;
    readonly entries: readonly Entry[];
  }): Promise<Context> {
    const quick = advance({ context, appended: entries, entries: this.#cache });
    const isSound = quick.problems.length === 0 || quick.problems === context.problems;
    const next = isSound ? quick : await this.#cache.settle((found) => contextOf({ entries: found, leaf: quick.leaf }));
    const fresh = next.problems.filter(({ what }) => !context.problems.some((old) => old.what === what));
    // An epoch that names what is not there would make a log that cannot be replayed.
    if (fresh.length > 0) throw invalidEntry({ type: 'epoch or leaf', problems: fresh.map(({ what }) => what) });
    return next;
  }

  async #commit({ live, entries }: { readonly live: Live; readonly entries: readonly Entry[] }): Promise<void> {
    if (entries.length === 0) return;
    const { leaf, epoch } = live.head;
    try {
      const expect = this.#live.head.last;
      const head = await this.#store.append({ session: this.#session, expect, entries, leaf, epoch });
      const hasNewEpoch = live.context.epoch !== this.#live.context.epoch;
      this.#live = { head, context: live.context };
      if (hasNewEpoch) this.#cache.keepFor(live.context);
    } catch (error) {
      this.#cache.remove(entries);
      throw error;
    }
    this.#notify(entries);
  }

  #notify(entries: readonly Entry[]): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(entries);
      } catch {
        // What is durable stays so, whatever becomes of those who look on.
      }
    }
  }
}

/** The draft as it will be read back: without what JSON leaves out, and unaffected by later changes to the original. */
function settled(draft: Draft): Draft {
  const copy = copied(draft);
  return draft.type === 'message' && copy.type === 'message' && draft.sentAs ? { ...copy, sentAs: draft.sentAs } : copy;
}

function copied(draft: Draft): Draft {
  try {
    return JSON.parse(JSON.stringify(draft)) as Draft;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidEntry({ type: draft.type, problems: [`It cannot be written as JSON: ${why}.`] });
  }
}

/**
 * The entries that these drafts became when they were appended before, known by the key of a message among them. A
 * batch is appended whole, so its entries stand side by side in the log. `pending` are entries that are on their way.
 */
async function alreadyAppended({
  drafts,
  pending,
  store,
  session,
}: {
  readonly drafts: readonly Draft[];
  readonly pending: readonly Entry[];
  readonly store: Store;
  readonly session: SessionId;
}): Promise<Entry[] | undefined> {
  const keys = drafts.flatMap((draft) => (draft.type === 'message' && draft.key !== undefined ? [draft.key] : []));
  if (keys.length === 0) return undefined;
  const known = new Map(
    [...(await store.read({ session, query: { keys } })), ...pending].flatMap((entry) =>
      entry.type === 'message' && entry.key !== undefined ? [[entry.key, entry] as const] : [],
    ),
  );
  for (const [index, draft] of drafts.entries()) {
    const key = draft.type === 'message' ? draft.key : undefined;
    const found = key === undefined ? undefined : known.get(key);
    if (key === undefined || !found) continue;
    const handles = drafts.map((_, offset) => found.handle - index + offset);
    const waiting = pending.filter(({ handle }) => handles.includes(handle));
    const batch = waiting.length > 0 ? waiting : await store.read({ session, query: { handles } });
    const isSame = batch.length === drafts.length && batch.every(({ type }, at) => type === drafts[at]?.type);
    if (!isSame) throw keyReused({ key });
    return [...batch];
  }
  return undefined;
}
