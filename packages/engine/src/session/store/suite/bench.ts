import type { Draft, Entry } from '../../entry/entry.ts';
import { lineOf, testIds } from '../../fixtures/entries.ts';
import type { Head, SessionHeader, Store } from '../store.ts';

/** A store with the two things a test must be able to do to it from outside. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes it and opens it again on what it left behind; a store that forgets gives itself. */
  reopen(): Promise<Store>;
  /** Closes it and removes every trace. */
  dispose(): Promise<void>;
}

export const start: number = Date.UTC(2026, 0, 1);

export function headerOf(id: string, more: Partial<SessionHeader> = {}): SessionHeader {
  return { v: 1, id, createdAt: start, ...more };
}

/** The store of the test that runs, and short words for what most tests do with it. */
export class StoreBench {
  readonly #open: () => Promise<StoreUnderTest>;
  #subject: StoreUnderTest | undefined;
  #store: Store | undefined;

  constructor(open: () => Promise<StoreUnderTest>) {
    this.#open = open;
  }

  get store(): Store {
    if (!this.#store) throw new Error('The store is used outside of a test.');
    return this.#store;
  }

  async set(): Promise<void> {
    this.#subject = await this.#open();
    this.#store = this.#subject.store;
  }

  async reopen(): Promise<void> {
    this.#store = await this.#subject?.reopen();
  }

  async clear(): Promise<void> {
    await this.#subject?.dispose();
    this.#subject = undefined;
    this.#store = undefined;
  }

  /** Appends at the leaf; the last entry becomes the leaf. */
  async append(session: string, entries: readonly Entry[]): Promise<Head> {
    const head = await this.store.head(session);
    const leaf = entries.at(-1)?.id ?? head.leaf;
    return this.store.append({ session, expect: head.last, entries, leaf, epoch: head.epoch });
  }

  /** A session with these entries in a line. */
  async begin(drafts: readonly Draft[], id = 's1'): Promise<Entry[]> {
    await this.store.create({ header: headerOf(id) });
    const entries = lineOf({ drafts, nextId: testIds(id.charCodeAt(1)) });
    await this.append(id, entries);
    return entries;
  }

  everything(session = 's1'): Promise<Entry[]> {
    return this.store.read({ session, query: { after: 0 } });
  }
}
