import { LonghaulError } from 'longhaul';

/**
 * Parses the integer value of a flag.
 *
 * @example
 * wholeNumber({ flag: '--limit', text: '5', least: 1 }); // 5
 */
export function wholeNumber({
  flag,
  text,
  least,
}: {
  readonly flag: string;
  readonly text: string;
  readonly least: number;
}): number {
  const value = /^[0-9][0-9_,]*$/.test(text) ? Number(text.replace(/[_,]/g, '')) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `${flag} must be an integer of at least ${least}, not "${text}".`,
    hint: 'Correct it and try again.',
  });
}
