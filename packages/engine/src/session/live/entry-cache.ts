import type { Context } from '../context/context.ts';
import type { Entry, EntryId } from '../entry/entry.ts';
import type { SessionId, Store } from '../store/store.ts';
import type { LogProblem } from '../tree/problem.ts';
import { type Lookup, walkUp } from '../tree/walk.ts';

/**
 * The part of a log that is in memory. Pure functions ask it for entries and report those it lacks; `settle` fetches
 * them and asks again. So the functions stay pure, and a session of a million entries is opened by reading one epoch.
 */
export class EntryCache implements Lookup {
  readonly #store: Store;
  readonly #session: SessionId;
  #entries: Map<EntryId, Entry> = new Map();

  constructor({ store, session }: { readonly store: Store; readonly session: SessionId }) {
    this.#store = store;
    this.#session = session;
  }

  /** One that begins with what is in this and goes its own way. */
  copy(): EntryCache {
    const copy = new EntryCache({ store: this.#store, session: this.#session });
    copy.#entries = new Map(this.#entries);
    return copy;
  }

  get(id: EntryId): Entry | undefined {
    return this.#entries.get(id);
  }

  add(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  remove(entries: readonly Entry[]): void {
    for (const { id } of entries) this.#entries.delete(id);
  }

  /** Forgets what a context does not need, so that a session that runs for weeks does not grow in memory. */
  keepFor({ leaf, epoch, items }: Context): void {
    const kept = new Map<EntryId, Entry>();
    const keep = (entry: Entry | undefined) => entry && kept.set(entry.id, entry);
    for (const { entry } of items) if (entry !== null) keep(this.#entries.get(entry));
    walkUp({
      entries: this,
      from: leaf,
      visit: (entry) => {
        keep(entry);
        return entry.id === epoch ? 'stop' : undefined;
      },
    });
    this.#entries = kept;
  }

  /** One entry, from memory or from the store. */
  async fetch(id: EntryId): Promise<Entry | undefined> {
    if (!this.#entries.has(id)) await this.#read([id]);
    return this.#entries.get(id);
  }

  /** The entries of an epoch. */
  async fetchEpoch(epoch: EntryId | null): Promise<void> {
    this.add(await this.#store.read({ session: this.#session, query: { epoch } }));
  }

  /** Computes over the log, fetching what the computation misses until it misses nothing that is there. */
  async settle<T extends { readonly problems: readonly LogProblem[] }>(compute: (entries: Lookup) => T): Promise<T> {
    const tried = new Set<EntryId>();
    for (;;) {
      const result = compute(this);
      const lacking = result.problems.filter(({ code, entry }) => code.startsWith('missing-') && !tried.has(entry));
      if (lacking.length === 0) return result;
      for (const { entry } of lacking) tried.add(entry);
      const found = await this.#read(lacking.map(({ entry }) => entry));
      // A path goes on in the epoch of the entry that was missing; an item is wanted alone.
      const steps = new Set(lacking.filter(({ code }) => code === 'missing-entry').map(({ entry }) => entry));
      const epochs = new Set(found.filter(({ id }) => steps.has(id)).map(({ epoch }) => epoch));
      for (const epoch of epochs) await this.fetchEpoch(epoch);
    }
  }

  async #read(ids: readonly EntryId[]): Promise<Entry[]> {
    const found = await this.#store.read({ session: this.#session, query: { ids } });
    this.add(found);
    return found;
  }
}
