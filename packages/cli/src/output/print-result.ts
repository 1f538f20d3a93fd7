import type { Invocation } from '../invocation.ts';

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
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json'>;
  readonly value: object;
  readonly lines: () => readonly string[];
}): Promise<void> {
  const text = invocation.json ? JSON.stringify(value, undefined, 2) : lines().join('\n');
  await invocation.io.stdout.write(`${text}\n`);
}
