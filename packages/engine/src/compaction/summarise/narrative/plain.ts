/** How the engine's own lines begin: a heading, a handle, the word before rules and quotations; one or more of them. */
const engineLines =
  /^\s*(?:(?:#{1,6}\s+|@\d+(?:[.:][\d-]+)*(?=\s|$)|Rules that hold, word for word:|What the user said:|The user asked to keep this in view:|What the agent was working in:)\s*)+/i;

/**
 * The text of a model without what only the engine writes: no heading, no handle at the beginning of a line, no list of
 * rules. It says what it says as prose.
 *
 * @example
 * plain('## Lines\n@7 user'); // 'Lines\nuser'
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd().replace(engineLines, ''))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
