import { LonghaulError } from 'longhaul';
import type { SessionSummary, Store } from 'longhaul/session';
import { closest } from '../text/closest.ts';

/** Shorter id prefixes are more likely a mistake. */
const shortestBeginning = 4;

/**
 * Finds a session by id, unique id prefix, name, or `last` for the most recently used one.
 *
 * @example
 * const { header } = await findSession({ store, wanted: '019b7ca9' });
 */
export async function findSession({
  store,
  wanted,
}: {
  readonly store: Store;
  readonly wanted: string;
}): Promise<SessionSummary> {
  const sessions = await store.list({ sort: 'updated' });
  const [exact] = sessions.filter(({ header }) => header.id === wanted);
  if (exact) return exact;
  const [newest] = sessions;
  if (wanted === 'last' && newest) return newest;
  const begun = wanted.length < shortestBeginning ? [] : sessions.filter(({ header }) => header.id.startsWith(wanted));
  const named = sessions.filter(({ name }) => name === wanted);
  const [found, second] = [...new Set([...begun, ...named])];
  if (found && second) throw ambiguous({ wanted, sessions: [...begun, ...named] });
  if (found) return found;
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
        ? 'The store is empty: import a session with `longhaul import FILE`, or use another store with --store.'
        : 'Run `longhaul sessions` to list them.',
  });
}

function ambiguous({ wanted, sessions }: { readonly wanted: string; readonly sessions: readonly SessionSummary[] }) {
  const ids = sessions.slice(0, 3).map(({ header }) => header.id);
  const more = sessions.length > ids.length ? `, and ${sessions.length - ids.length} more` : '';
  return new LonghaulError({
    code: 'session-ambiguous',
    message: `"${wanted}" matches ${sessions.length} sessions: ${ids.join(', ')}${more}.`,
    hint: 'Give the whole id, or a longer prefix.',
  });
}
