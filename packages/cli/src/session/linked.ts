import type { SessionId, SessionSummary } from 'longhaul/session';

/**
 * Sessions, all that they own (those of sub-agents), and what those own. Each once, whatever the headers say.
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
  // What is added while it is gone through is gone through too.
  for (const owner of linked) {
    for (const { header } of all) if (header.owner?.session === owner) linked.add(header.id);
  }
  return linked;
}
