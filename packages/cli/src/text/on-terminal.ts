import { printable } from './printable.ts';

/**
 * A text of many lines for a terminal: lines and tabs as they are, everything else that a terminal obeys shown instead.
 *
 * @example
 * onTerminal('a\n\u001b[2Jb'); // 'a\n\\u001b[2Jb'
 */
export function onTerminal(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n');
}
