import type { Entry } from '../../session/index.ts';
import { isPlausible } from '../../session/internal.ts';
import type { Beside } from '../reading.ts';
import type { WarningList } from '../report.ts';

/**
 * The entries of a file with times that can be true. An absurd one is unknown: the time of the entry before it is taken, or
 * that of the session, and a warning says so. One file must not sort itself before all others for ever.
 */
export async function* withPlausibleTimes({
  pieces,
  createdAt,
  now,
  warnings,
}: {
  readonly pieces: AsyncIterable<Entry | Beside>;
  readonly createdAt: number;
  readonly now: number;
  readonly warnings: WarningList;
}): AsyncGenerator<Entry | Beside> {
  const last = new Map<string | undefined, number>();
  let absurd = 0;
  for await (const piece of pieces) {
    const strand = 'beside' in piece ? piece.beside.key : undefined;
    const entry = 'beside' in piece ? piece.entry : piece;
    if (isPlausible({ at: entry.at, now })) {
      last.set(strand, entry.at);
      yield piece;
      continue;
    }
    absurd += 1;
    const known = { ...entry, at: last.get(strand) ?? createdAt };
    yield 'beside' in piece ? { ...piece, entry: known } : known;
  }
  if (absurd > 0) {
    const message = `${absurd} times cannot be true (negative, or in the future) and count as unknown.`;
    warnings.add({ code: 'absurd-time', message });
  }
}
