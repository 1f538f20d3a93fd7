import type { KeyMatch } from './find-vendor-keys.ts';

/**
 * Replaces places of a text; where two overlap, both become one.
 *
 * @example
 * replaceFound({ text: 'a secret b', found: [{ start: 2, end: 8 }], replace: () => '[key]' }); // 'a [key] b'
 */
export function replaceFound<F extends KeyMatch>({
  text,
  found,
  replace,
}: {
  readonly text: string;
  readonly found: readonly F[];
  readonly replace: (place: F) => string;
}): string {
  const pieces: string[] = [];
  let at = 0;
  for (const place of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (place.start >= at) pieces.push(text.slice(at, place.start), replace(place));
    at = Math.max(at, place.end);
  }
  return [...pieces, text.slice(at)].join('');
}
