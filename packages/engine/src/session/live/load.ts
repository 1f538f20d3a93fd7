import { contextOf } from '../context/context.ts';
import { DamageError } from '../store/errors.ts';
import type { SessionId, Store } from '../store/store.ts';
import type { EntryCache } from './entry-cache.ts';
import type { Live } from './writer.ts';

/** Reads the head and context of a session. */
export async function loadLive({
  store,
  session,
  cache,
  allowDamage,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly cache: EntryCache;
  readonly allowDamage: boolean;
}): Promise<Live> {
  const head = await store.head(session);
  if (head.leaf !== null) await cache.fetchEpoch(head.epoch);
  const context = await cache.settle((entries) => contextOf({ entries, leaf: head.leaf }));
  const [problem] = context.problems;
  if (problem && !allowDamage) throw new DamageError({ where: `Session ${session}`, what: problem.what });
  return { head, context };
}
