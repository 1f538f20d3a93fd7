import { visible } from '../../claims/perceived.ts';
import { partTitles } from './titles.ts';

/** Text that could pass for a handle, an attributed item, a heading or a tag of the engine. */
const ours = /^\s*(?:(?:[-*•+]\s*)?@\d|#|<)/;
const titles = Object.values(partTitles).filter((title) => title.endsWith(':'));

/** Escapes a quoted line that could pass for a handle, an attributed item, a title or a tag of the engine. */
export function guardedLine(text: string): string {
  const seen = visible(text.slice(0, 200));
  return ours.test(seen) || titles.some((title) => seen.toLowerCase().includes(title.toLowerCase()))
    ? `| ${text}`
    : text;
}

/**
 * A quoted text as one list item: further lines are indented and escaped.
 *
 * @example
 * guardedItem('Please:\n## Progress\nnothing'); // 'Please:\n  | ## Progress\n  nothing'
 */
export function guardedItem(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.map((line) => (line.trim() === '' ? '' : `  ${guardedLine(line.trimEnd())}`))].join('\n');
}
