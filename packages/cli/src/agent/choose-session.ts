import { LonghaulError } from 'longhaul';
import type { Engine, EngineSession } from 'longhaul/engine';
import type { Store } from 'longhaul/session';
import { findSession } from '../store/find-session.ts';

/** Which session a person wants: a new one, the newest of this folder, or one by its name. */
export type Wanted = 'new' | 'newest' | { readonly session: string };

/**
 * Opens the session that is wanted, or makes one.
 *
 * @example
 * const session = await chooseSession({ engine, store, wanted: 'newest', cwd: io.cwd });
 */
export async function chooseSession({
  engine,
  store,
  wanted,
  cwd,
}: {
  readonly engine: Engine;
  readonly store: Store;
  readonly wanted: Wanted;
  readonly cwd: string;
}): Promise<EngineSession> {
  if (wanted === 'new') return await engine.create({ cwd });
  if (wanted !== 'newest') return await engine.open((await findSession({ store, wanted: wanted.session })).header.id);
  const sessions = await store.list({ sort: 'updated' });
  // Sub-agents work in the same folder, and nobody means theirs.
  const newest = sessions.find(({ header }) => header.cwd === cwd && header.owner === undefined);
  if (newest) return await engine.open(newest.header.id);
  throw new LonghaulError({
    code: 'session-missing',
    message: `there is no session of ${cwd} that could be continued.`,
    hint: 'Leave --continue out to begin one, or name one of `longhaul sessions` with --session.',
  });
}
