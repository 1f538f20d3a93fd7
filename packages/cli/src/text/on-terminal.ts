import { printable } from './printable.ts';

/**
 * Multi-line text for a terminal: line breaks and tabs are kept, other control characters are made visible.
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
