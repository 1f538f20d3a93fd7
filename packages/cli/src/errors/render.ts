import { inspect } from 'node:util';
import type { LonghaulError } from 'longhaul';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/**
 * An error for people: one line for what is wrong, one or two for what to do.
 *
 * @example
 * await io.stderr.write(errorText({ error, paint }));
 */
export function errorText({ error, paint }: { readonly error: LonghaulError; readonly paint: Paint }): string {
  const hints = error.hint.split('\n').map((line) => `  ${printable(line)}\n`);
  return `${paint.bad('longhaul:')} ${printable(error.message)}\n${hints.join('')}`;
}

/** An error as JSON. */
export function errorJson({
  error,
  isLine,
}: {
  readonly error: LonghaulError;
  /** Whether the output has one value per line. */
  readonly isLine: boolean;
}): string {
  return `${JSON.stringify({ error }, undefined, isLine ? 0 : 2)}\n`;
}

/** Everything known about an error, for `--debug`: code, stack, causes. */
export function errorDetails({ error }: { readonly error: LonghaulError }): string {
  const lines = [`code: ${error.code}`, stackOf(error)];
  let under: unknown = error.cause;
  // Bounded, because errors could name each other as their cause.
  for (let depth = 0; under !== undefined && depth < 8; depth++) {
    lines.push(`caused by: ${stackOf(under)}`);
    under = under instanceof Error ? under.cause : undefined;
  }
  return `${lines.join('\n')}\n`;
}

function stackOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? String(error)) : inspect(error);
  return text.split('\n').map(printable).join('\n');
}
