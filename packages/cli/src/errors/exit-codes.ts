import { LonghaulError } from 'longhaul';

/** What the command's exit code says. `--help` and docs/cli.md print this table. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'fine: it is legal, or a legal copy was made' },
  { code: 1, meaning: 'the answer is no: the conversation is not legal, or cannot be made so' },
  { code: 2, meaning: 'the input, the output, a setting or the command line cannot be used; nothing was written' },
  { code: 70, meaning: 'a bug in longhaul' },
  { code: 130, meaning: 'interrupted with Ctrl-C' },
];

/**
 * The exit code for a failure.
 *
 * @example
 * process.exitCode = exitCodeOf(error);
 */
export function exitCodeOf(error: unknown): number {
  if (!LonghaulError.is(error) || error.code === 'internal') return 70;
  return error.code === 'not-repairable' ? 1 : 2;
}
