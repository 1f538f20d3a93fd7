import { createMemoryStore, type LeasedStore, leasedStore, type Store } from 'longhaul/session';
import { reportRefusedStore } from '../hooks/refused.ts';
import type { Invocation } from '../invocation.ts';
import type { Io, SessionStore } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';
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
 * Opens the configured store, and closes it when the work is done or has failed. A missing store is only created by commands
 * that make sessions; for all others it is empty.
 *
 * @example
 * return await withStore({ invocation, work: async ({ store }) => print(await store.list()) });
 */
export async function withStore<Answer>({
  invocation,
  work,
  purpose = 'longhaul',
  creates = false,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'settings'>;
  readonly work: (opened: Opened) => Promise<Answer>;
  /** What this process does, for others that want to write to the same session. */
  readonly purpose?: string;
  /** Whether a missing store is created. */
  readonly creates?: boolean;
}): Promise<Answer> {
  const { dir, values } = await placeOf(invocation);
  const files =
    creates || (await isThere({ io: invocation.io, dir })) ? await invocation.io.openStore(dir) : emptyStore();
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
  const store = (await isThere({ io, dir })) ? await io.openStore(dir) : createMemoryStore();
  return await closing({ store, work: work({ store, dir, values }) });
}

async function isThere({ io, dir }: { readonly io: Pick<Io, 'files'>; readonly dir: string }): Promise<boolean> {
  return (await io.files.stat(dir).catch(() => undefined)) !== undefined;
}

function emptyStore(): SessionStore {
  const doctor = async () => ({ sound: true, sessions: [], problems: [], leftovers: [] });
  return { ...createMemoryStore(), doctor };
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

/**
 * What is printed in place of a list of no sessions.
 *
 * @example
 * noSessionsLine({ dir: '/home/me/.local/share/longhaul' });
 */
export function noSessionsLine({ dir }: { readonly dir: string }): string {
  return `No sessions in ${printable(dir)} yet. Start one with \`longhaul -p "…"\`, or import one with \`longhaul import FILE\`.`;
}
