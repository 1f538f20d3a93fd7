import { lateThreadCall, threadCall } from './call.ts';
import { SqliteStore } from './store.ts';

export type { DoctorProblem, DoctorReport, SessionReport } from './doctor/report.ts';
export { SqliteStore } from './store.ts';

/**
 * A store of sessions in a folder: a SQLite file for each, a catalog and a full-text index that can be rebuilt. Nothing
 * to install. It works in a thread of its own, so the caller's event loop never waits for the disk. A short program can have
 * its first calls done without a thread (`callsBeforeThread`), which starts faster; an append is durable in both cases.
 *
 * @example
 * const store = await openSqliteStore({ dir: '/var/lib/agent/sessions' });
 * await store.create({ header: { v: 1, id: 's1', createdAt: Date.now() } });
 * await store.close();
 */
export async function openSqliteStore({
  dir,
  callsBeforeThread: calls = 0,
}: {
  readonly dir: string;
  /** How many calls are done in the caller's thread before the store's own thread is started; none by default. */
  readonly callsBeforeThread?: number;
}): Promise<SqliteStore> {
  const call = calls > 0 ? lateThreadCall({ dir, calls }) : threadCall({ dir });
  // Whatever keeps the folder from being used is said now, not at the first append.
  await call('ready', {});
  return new SqliteStore({ call, dir });
}
