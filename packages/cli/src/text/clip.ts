/**
 * The start of a text on one line, with an ellipsis where it was cut. Never splits a character.
 *
 * @example
 * clip({ text: 'a long\nstory', length: 7 }); // 'a long…'
 */
export function clip({ text, length }: { readonly text: string; readonly length: number }): string {
  // Only as much as can be shown is processed, so that megabytes cost nothing.
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= length && text.length <= length * 4) return line;
  return `${line
    .slice(0, Math.max(0, length - 1))
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
