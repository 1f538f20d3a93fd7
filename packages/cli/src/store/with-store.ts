import { createMemoryStore, type LeasedStore, leasedStore, type Store } from 'longhaul/session';
import { reportRefusedStore } from '../hooks/refused.ts';
import type { Invocation } from '../invocation.ts';
import type { SessionStore } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { storeDir } from './store-dir.ts';

/** The store of the settings: this process writes only to sessions that no other process works on. */
type LeasedSessionStore = SessionStore & LeasedStore;

/** A store that is open for the duration of one command. */
export interface Opened<S extends Store = LeasedSessionStore> {
  readonly store: S;
  /** Its folder. */
  readonly dir: string;
  readonly values: Settings;
}

/**
 * Opens the configured store, and closes it when the work is done or has failed.
 *
 * @example
 * return await withStore({ invocation, work: async ({ store }) => print(await store.list()) });
 */
export async function withStore<Answer>({
  invocation,
  work,
  purpose = 'longhaul',
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'settings'>;
  readonly work: (opened: Opened) => Promise<Answer>;
  /** What this process does, for others that want to write to the same session. */
  readonly purpose?: string;
}): Promise<Answer> {
  const { dir, values } = await placeOf(invocation);
  const files = await invocation.io.openStore(dir);
  const store = { ...leasedStore({ store: files, purpose }), doctor: files.doctor.bind(files) };
  return await closing({ store, work: work({ store, dir, values }) });
}

/**
 * The same for read-only commands: a missing store is not created, but treated as empty.
 *
 * @example
 * return await lookIntoStore({ invocation, work: async ({ store }) => print(await store.list()) });
 */
export async function withReadOnlyStore<Answer>({
  invocation,
  work,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'settings'>;
  readonly work: (opened: Opened<Store>) => Promise<Answer>;
}): Promise<Answer> {
  const { io } = invocation;
  const { dir, values } = await placeOf(invocation);
  const isThere = (await io.files.stat(dir).catch(() => undefined)) !== undefined;
  const store = isThere ? await io.openStore(dir) : createMemoryStore();
  return await closing({ store, work: work({ store, dir, values }) });
}

async function placeOf({ io, json, settings }: Pick<Invocation, 'io' | 'json' | 'settings'>) {
  const resolved = await settings();
  await reportRefusedStore({ io, json, refused: resolved.refused });
  return { dir: storeDir({ io, resolved }), values: resolved.values };
}

async function closing<Answer>({ store, work }: { store: Store; work: Promise<Answer> }): Promise<Answer> {
  try {
    return await work;
  } finally {
    await store.close();
  }
}
