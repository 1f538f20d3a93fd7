import { LonghaulError } from 'longhaul';
import { closest } from '../text/closest.ts';

/**
 * The error for a name that no setting has.
 *
 * @example
 * throw unknownSetting({ name: 'colour', place: '/a/longhaul.config.json', candidates: ['color'] });
 */
export function unknownSetting({
  name,
  place,
  candidates,
}: {
  readonly name: string;
  /** A file, or `the environment`. */
  readonly place: string;
  readonly candidates: readonly string[];
}): LonghaulError {
  const near = closest({ word: name, candidates });
  return new LonghaulError({
    code: 'unknown-setting',
    cause: `unknown setting "${name}" in ${place}${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    next: `${near === undefined ? 'Remove it' : 'Rename or remove it'}; \`longhaul config schema\` lists every setting.`,
  });
}
