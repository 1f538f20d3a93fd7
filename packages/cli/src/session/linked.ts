import type { SessionId, SessionSummary } from 'longhaul/session';

/**
 * Sessions and, recursively, the sessions of their sub-agents. Each once, whatever the headers claim.
 *
 * @example
 * const ids = linkedTo({ sessions: [id], all: await store.list() });
 */
export function linkedTo({
  sessions,
  all,
}: {
  readonly sessions: Iterable<SessionId>;
  readonly all: readonly SessionSummary[];
}): ReadonlySet<SessionId> {
  const linked = new Set(sessions);
  // A Set iterates over items added during iteration.
  for (const owner of linked) {
    for (const { header } of all) if (header.owner?.session === owner) linked.add(header.id);
  }
  return linked;
}
