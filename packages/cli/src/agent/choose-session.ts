import { LonghaulError } from 'longhaul';
import type { Engine, EngineSession } from 'longhaul/engine';
import type { Store } from 'longhaul/session';
import { findSession } from '../store/find-session.ts';

/** Which session to open: a new one, the newest of this folder, or one by name. */
export type SessionChoice = 'new' | 'newest' | { readonly session: string };

/**
 * Opens the requested session, or creates one.
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
  readonly wanted: SessionChoice;
  readonly cwd: string;
}): Promise<EngineSession> {
  if (wanted === 'new') return await engine.create({ cwd });
  if (wanted !== 'newest') return await engine.open((await findSession({ store, wanted: wanted.session })).header.id);
  const sessions = await store.list({ sort: 'updated' });
  // Sessions of sub-agents are in the same folder and are not meant here.
  const newest = sessions.find(({ header }) => header.cwd === cwd && header.owner === undefined);
  if (newest) return await engine.open(newest.header.id);
  throw new LonghaulError({
    code: 'session-missing',
    message: `There is no session to continue in ${cwd}.`,
    hint: 'Omit --continue to start one, or pass --session with a session listed by `longhaul sessions`.',
  });
}
