/**
 * The candidate that a mistyped word most likely meant; `undefined` if none is close. Prefixes and suffixes count as
 * close, since names are often shortened (`openai` for `openai-chat`).
 *
 * @example
 * closest({ word: 'colour', candidates: ['color', 'debug'] }); // 'color'
 */
export function closest({
  word,
  candidates,
}: {
  readonly word: string;
  readonly candidates: readonly string[];
}): string | undefined {
  const sought = word.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const name = candidate.toLowerCase();
    const partial = sought.length >= 3 && (name.startsWith(sought) || name.endsWith(sought));
    const distance = Math.min(editDistance(sought, name), partial ? 1 : Number.POSITIVE_INFINITY);
    // With more than a third of the letters wrong it is another word, not a typo.
    if (distance > Math.max(1, Math.floor(Math.max(sought.length, name.length) / 3))) continue;
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Edit distance with insertion, deletion, substitution and transposition. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
