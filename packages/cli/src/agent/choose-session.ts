import { LonghaulError } from 'longhaul';
import type { Engine, EngineSession } from 'longhaul/engine';
import { repositoryOf } from 'longhaul/memory';
import { type Lease, type LeasedStore, openSession, type SessionId, SessionInUseError } from 'longhaul/session';
import { findSession } from '../store/find-session.ts';

/** Which session to open: a new one, the newest of this folder, or one by name. */
export type SessionChoice = 'new' | 'newest' | { readonly session: string };

/** What to do with a session that another process is working on. */
export interface LeaseOptions {
  /** Wait until the other process has ended, and call this once. */
  readonly onWait?: ((holder: Lease) => void) | undefined;
  /** Continue in a copy of the session, whether it is in use or not. */
  readonly fork?: boolean | undefined;
}

/**
 * Opens the requested session, or creates one. This process then holds its lease.
 *
 * @example
 * const session = await chooseSession({ engine, store, wanted: 'newest', cwd: io.cwd });
 */
export async function chooseSession({
  engine,
  store,
  wanted,
  cwd,
  onWait,
  fork = false,
}: LeaseOptions & {
  readonly engine: Engine;
  readonly store: LeasedStore;
  readonly wanted: SessionChoice;
  readonly cwd: string;
}): Promise<EngineSession> {
  if (wanted === 'new') {
    const { branch } = repositoryOf({ folder: cwd });
    const created = await engine.create({ cwd, ...(branch !== undefined && { details: { longhaul: { branch } } }) });
    await store.acquire({ session: created.id });
    return created;
  }
  const session = await existingId({ store, wanted, cwd });
  if (fork) {
    // Reading needs no lease; an unfinished call of the other process is marked as interrupted in the copy only.
    const copy = await (await openSession({ store, id: session })).fork();
    return await engine.open(copy.id);
  }
  try {
    await store.acquire({ session, ...(onWait && { onWait }) });
  } catch (error) {
    throw error instanceof SessionInUseError ? inUse(error) : error;
  }
  return await engine.open(session);
}

async function existingId(of: {
  readonly store: LeasedStore;
  readonly wanted: Exclude<SessionChoice, 'new'>;
  readonly cwd: string;
}): Promise<SessionId> {
  const { store, wanted, cwd } = of;
  if (wanted !== 'newest') return (await findSession({ store, wanted: wanted.session })).header.id;
  const sessions = await store.list({ sort: 'updated' });
  // Sessions of sub-agents and of clients of a gateway are in the same folder and are not meant here.
  const newest = sessions.find(
    ({ header }) => header.cwd === cwd && header.owner === undefined && header.details?.gateway === undefined,
  );
  if (newest) return newest.header.id;
  throw new LonghaulError({
    code: 'session-missing',
    message: `There is no session to continue in ${cwd}.`,
    hint: 'Omit --continue to start one, or pass --session with a session listed by `longhaul sessions`.',
  });
}

function inUse({ code, message, cause }: SessionInUseError): LonghaulError {
  const hint = 'Use --wait to wait for it, or --fork to continue in a copy of the session.';
  return new LonghaulError({ code, message, hint, cause });
}
