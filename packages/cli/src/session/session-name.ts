import { LonghaulError } from 'longhaul';
import type { Store } from 'longhaul/session';
import { shortId } from './short-id.ts';

/**
 * Checks a name before a session gets it: a name that already means a session could not be used.
 *
 * @example
 * const name = await availableName({ store, written: 'billing', session: header.id });
 */
export async function availableName({
  store,
  written,
  session,
}: {
  readonly store: Store;
  readonly written: string;
  /** The session that gets the name; `undefined` for one that does not exist yet. */
  readonly session?: string;
}): Promise<string> {
  const wanted = written.replace(/\s+/g, ' ').trim();
  const isFree = /^[^-\s].*$/u.test(wanted) && wanted !== 'last';
  const taken = (await store.list()).find(({ header, name: other }) => {
    return header.id !== session && (header.id === wanted || other === wanted);
  });
  if (isFree && !taken) return wanted;
  throw new LonghaulError({
    code: 'bad-usage',
    message: taken
      ? `The session ${shortId({ id: taken.header.id })} is already named "${wanted}".`
      : `"${wanted}" cannot be the name of a session.`,
    hint: 'Choose another name.',
  });
}
