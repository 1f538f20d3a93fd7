import { LonghaulError } from 'longhaul';
import { reasonOf } from './file-errors.ts';

/**
 * Any thrown value as a member of the one error family. What is not one yet is a bug of ours, and says so.
 *
 * @example
 * const { code, message, hint } = asLonghaulError(error).toJSON();
 */
export function asLonghaulError(error: unknown): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const kind = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
  return new LonghaulError({
    code: 'internal',
    message: `longhaul failed in a way it should not: ${kind}${reasonOf(error)}.`,
    hint: 'This is a bug: please report it with what the same command prints with --debug; your input was not changed.',
    cause: error,
  });
}
