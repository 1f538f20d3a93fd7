import { LonghaulError } from 'longhaul';
import { reasonOf } from './file-errors.ts';

/**
 * Converts any thrown value to a `LonghaulError`. Anything unexpected is reported as a bug of ours.
 *
 * @example
 * const { code, message, hint } = asLonghaulError(error).toJSON();
 */
export function asLonghaulError(error: unknown): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const kind = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
  return new LonghaulError({
    code: 'internal',
    message: `Internal error: ${kind}${reasonOf(error)}.`,
    hint: 'This is a bug in longhaul. Please report it with the output of the same command with --debug; your input was not changed.',
    cause: error,
  });
}
