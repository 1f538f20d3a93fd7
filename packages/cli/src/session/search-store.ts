import { createMask } from 'longhaul/engine';
import { formatHandle, type Store } from 'longhaul/session';

/** A place in a session; the JSON output of `search`, see docs/cli.md. */
export interface FoundPlace {
  readonly handle: string;
  readonly session: string;
  readonly snippet: string;
  readonly score: number;
}

/**
 * Full-text search in all sessions or in one, best first. Secrets in the results are masked.
 *
 * @example
 * const [best] = await searchStore({ store, text: 'unsigned char', limit: 20, session: undefined, secrets: [] });
 */
export async function searchStore({
  store,
  text,
  limit,
  session,
  secrets,
}: {
  readonly store: Store;
  readonly text: string;
  readonly limit: number;
  readonly session: string | undefined;
  readonly secrets: readonly string[];
}): Promise<readonly FoundPlace[]> {
  const hits = await store.search({ text, limit, ...(session !== undefined && { session }) });
  return hits.map(({ session: where, snippet, score, handle, part }) => ({
    handle: formatHandle({ entry: handle, part }),
    session: where,
    snippet: createMask({ values: secrets, salt: where })(snippet),
    score,
  }));
}
