import { LonghaulError } from 'longhaul';
import type { SessionSummary, Store } from 'longhaul/session';
import { shortId } from '../session/short-id.ts';
import { closest } from '../text/closest.ts';

/** Shorter parts of an id are more likely a mistake. */
const shortestPart = 4;

/**
 * Finds a session by id, unique start or end of its id, name, or `last` for the most recently used one. Sessions of
 * sub-agents are never `last`.
 *
 * @example
 * const { header } = await findSession({ store, wanted: '4ce81e79' });
 */
export async function findSession({
  store,
  wanted,
}: {
  readonly store: Store;
  readonly wanted: string;
}): Promise<SessionSummary> {
  const sessions = await store.list({ sort: 'updated' });
  const exact = sessions.find(({ header }) => header.id === wanted);
  if (exact) return exact;
  const newest = sessions.find(({ header }) => header.owner === undefined) ?? sessions[0];
  if (wanted === 'last' && newest) return newest;
  const isPart = (id: string) => wanted.length >= shortestPart && (id.startsWith(wanted) || id.endsWith(wanted));
  const found = sessions.filter(({ header, name }) => name === wanted || isPart(header.id));
  const [first, second] = found;
  if (first && second) throw ambiguous({ wanted, found, sessions });
  if (first) return first;
  throw missing({ wanted, sessions });
}

function missing({ wanted, sessions }: { readonly wanted: string; readonly sessions: readonly SessionSummary[] }) {
  const names = sessions.flatMap(({ name, header }) => [header.id, ...(name === undefined ? [] : [name])]);
  const near = closest({ word: wanted, candidates: names });
  return new LonghaulError({
    code: 'session-missing',
    message: `There is no session "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint:
      sessions.length === 0
        ? 'The store is empty: start one with `longhaul -p "…"`, import one with `longhaul import FILE`, or use another store with --store.'
        : 'Run `longhaul sessions` to list them.',
  });
}

function ambiguous({
  wanted,
  found,
  sessions,
}: {
  readonly wanted: string;
  readonly found: readonly SessionSummary[];
  readonly sessions: readonly SessionSummary[];
}) {
  const all = sessions.map(({ header }) => header.id);
  const ids = found.slice(0, 3).map(({ header }) => shortId({ id: header.id, all }));
  const more = found.length > ids.length ? `, and ${found.length - ids.length} more` : '';
  return new LonghaulError({
    code: 'session-ambiguous',
    message: `"${wanted}" matches ${found.length} sessions: ${ids.join(', ')}${more}.`,
    hint: 'Use one of these ids; `longhaul sessions` lists all.',
  });
}
