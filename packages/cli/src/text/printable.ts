/**
 * Text that is safe to print on a terminal: one line, without control characters. File names, keys and tool names are
 * untrusted, and terminals interpret escape sequences anywhere.
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

// Joiners needed by scripts and composed emoji; they do not move the cursor.
const harmless = new Set(['\u200c', '\u200d', '\u00ad']);
