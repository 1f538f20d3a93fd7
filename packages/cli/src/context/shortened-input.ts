import { pendingInput } from 'longhaul/engine';
import { formatHandle, type Session } from 'longhaul/session';

/**
 * The handles of pending input that is sent shortened because it does not fit the window together with the head.
 *
 * @example
 * const places = await shortenedInput(live); // ['@12']
 */
export async function shortenedInput(live: Session): Promise<readonly string[]> {
  const { items } = live.context;
  const pending = pendingInput({ messages: items.map(({ message }) => message) });
  const ids = items.flatMap(({ entry, isMade }, index) =>
    pending.has(index) && isMade && entry !== null ? [entry] : [],
  );
  const entries = ids.length === 0 ? [] : await live.read({ ids });
  return entries.map(({ handle }) => formatHandle({ entry: handle }));
}

/** One sentence for each of them. */
export function shortenedLines({
  places,
  session,
}: {
  readonly places: readonly string[];
  readonly session: string;
}): string[] {
  return places.map(
    (place) =>
      `The input at ${place} does not fit the window and is sent shortened; longhaul recall ${session} ${place} shows all of it.`,
  );
}
