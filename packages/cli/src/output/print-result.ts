import type { Invocation } from '../invocation.ts';
import { fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/**
 * Prints the result of a command: the value as JSON, or the lines as text.
 *
 * @example
 * await answer({ invocation, value: { deleted: ids }, lines: () => [`deleted ${ids.length}`] });
 */
export async function printResult({
  invocation,
  value,
  lines,
  fits = false,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json'>;
  readonly value: object;
  readonly lines: () => readonly string[];
  /** Whether long lines are continued on the next, where the width is known. */
  readonly fits?: boolean;
}): Promise<void> {
  const shown = () => (fits ? fitLines({ lines: lines(), width: tableWidth(invocation.io) }) : lines());
  const text = invocation.json ? JSON.stringify(value, undefined, 2) : shown().join('\n');
  await invocation.io.stdout.write(`${text}\n`);
}
