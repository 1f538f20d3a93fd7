import type { Problem } from 'longhaul/message';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';

/**
 * One line for each thing that was found or done, with its place in front, counted from 0 as programs do.
 *
 * @example
 * placeLines({ items: problems, paint, indent: '  ' }); // ['  message 3, part 1  The call …']
 */
export function placeLines({
  items,
  paint,
  indent,
}: {
  readonly items: readonly Pick<Problem, 'at' | 'message'>[];
  readonly paint: Paint;
  readonly indent: string;
}): string[] {
  const rows = items.map(({ at, message }) => [
    paint.faint(at.part === undefined ? `message ${at.message}` : `message ${at.message}, part ${at.part}`),
    printable(message),
  ]);
  return columns({ rows, indent });
}
