/** What could pass for a handle, a heading or a tag of ours. */
const ours = /^(?=@\d|#|<)/;

/** A quoted line must not pass for a handle, a heading or a tag of ours. */
export function guardedLine(text: string): string {
  return text.replace(ours, '| ');
}

/**
 * A quoted text as one item of a list: its further lines stand under the first and begin nothing, whatever they look
 * like.
 *
 * @example
 * guardedItem('Please:\n## Progress\nnothing'); // 'Please:\n  | ## Progress\n  nothing'
 */
export function guardedItem(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.map((line) => (line.trim() === '' ? '' : `  ${guardedLine(line.trimEnd())}`))].join('\n');
}
