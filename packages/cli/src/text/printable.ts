/**
 * Text that can be shown on a terminal as it is: one line, and no control characters. File names, keys and tool names
 * come from outside, and a terminal obeys escape sequences wherever they stand.
 *
 * @example
 * printable('a\u001b[2Jb'); // 'a\\u001b[2Jb'
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (harmless.has(character)) return character;
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

// Joiners that whole scripts and composed emoji need; they move nothing on the screen.
const harmless = new Set(['\u200c', '\u200d', '\u00ad']);
