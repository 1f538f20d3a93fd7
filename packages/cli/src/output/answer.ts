import type { Invocation } from '../invocation.ts';

/**
 * Prints the answer of a command: the value for a program, or the lines for a person.
 *
 * @example
 * await answer({ invocation, value: { deleted: ids }, lines: () => [`deleted ${ids.length}`] });
 */
export async function answer({
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
