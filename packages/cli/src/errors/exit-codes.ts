import { LonghaulError } from 'longhaul';

/** The meaning of exit codes, printed by `--help` and docs/cli.md. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'success: done, valid, intact' },
  {
    code: 1,
    meaning: 'negative: the model failed; invalid, not repairable, damaged, nothing to do, not confirmed',
  },
  { code: 2, meaning: 'input, output, store, setting or command line not usable; nothing was written' },
  {
    code: 3,
    meaning: 'an agent stopped early: out of turns, refused, or denied a permission',
  },
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
  if (error.code === 'interrupted') return 130;
  return answers.has(error.code) ? 1 : 2;
}

/** Error codes that are results rather than failures. */
const answers: ReadonlySet<string> = new Set([
  'not-repairable',
  'not-confirmed',
  'nothing-to-undo',
  'nothing-to-redo',
  'store-damaged',
  'nothing-fits',
  'nothing-to-resume',
]);
