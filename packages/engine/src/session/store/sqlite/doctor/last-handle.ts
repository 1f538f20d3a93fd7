import type { DatabaseSync } from 'node:sqlite';

/** The newest handle that may be there: what the head says, or the end of the entries, as far as either can be read. */
export function lastHandle(db: DatabaseSync): number {
  const asked = ['SELECT last FROM head', 'SELECT max(handle) AS last FROM entries'].map((sql) => {
    try {
      return Number(db.prepare(sql).get()?.last ?? 0);
    } catch {
      return 0;
    }
  });
  // A damaged number must not send anybody looking for entries until the end of time.
  return Math.min(Math.max(...asked), 100_000_000);
}
