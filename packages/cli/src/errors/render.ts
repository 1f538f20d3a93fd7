import { inspect } from 'node:util';
import type { LonghaulError } from 'longhaul';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/**
 * A failure as a person reads it: one line for what is wrong, one or two for what to do.
 *
 * @example
 * await io.stderr.write(errorText({ error, paint }));
 */
export function errorText({ error, paint }: { readonly error: LonghaulError; readonly paint: Paint }): string {
  const hints = error.hint.split('\n').map((line) => `  ${printable(line)}\n`);
  return `${paint.bad('longhaul:')} ${printable(error.message)}\n${hints.join('')}`;
}

/** A failure as a program reads it. */
export function errorJson({
  error,
  isLine,
}: {
  readonly error: LonghaulError;
  /** Where every line is a value. */
  readonly isLine: boolean;
}): string {
  return `${JSON.stringify({ error }, undefined, isLine ? 0 : 2)}\n`;
}

/** Everything known about a failure, for `--debug`: code, stack, and the errors under it. */
export function errorDetails({ error }: { readonly error: LonghaulError }): string {
  const lines = [`code: ${error.code}`, stackOf(error)];
  let under: unknown = error.cause;
  // The bound is for errors that name each other as their cause.
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
