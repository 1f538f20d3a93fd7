import type { Invocation } from '../invocation.ts';
import type { SessionStore } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { storeDir } from './store-dir.ts';

/** A store that is open for the time of one command. */
export interface Opened {
  readonly store: SessionStore;
  /** Its folder. */
  readonly dir: string;
  readonly values: Settings;
}

/**
 * Opens the store that the settings name, and closes it when the work is done or has failed.
 *
 * @example
 * return await withStore({ invocation, work: async ({ store }) => print(await store.list()) });
 */
export async function withStore<Answer>({
  invocation,
  work,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'settings'>;
  readonly work: (opened: Opened) => Promise<Answer>;
}): Promise<Answer> {
  const resolved = await invocation.settings();
  const dir = storeDir({ io: invocation.io, resolved });
  const store = await invocation.io.openStore(dir);
  try {
    return await work({ store, dir, values: resolved.values });
  } finally {
    await store.close();
  }
}
