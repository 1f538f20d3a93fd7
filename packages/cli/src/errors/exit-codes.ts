import { LonghaulError } from 'longhaul';

/** What the command's exit code says. `--help` and docs/cli.md print this table. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'fine: it was done, it is legal, it is sound' },
  {
    code: 1,
    meaning: 'no: the model failed; not legal, not repairable, damaged, nothing to do, not confirmed',
  },
  { code: 2, meaning: 'input, output, store, setting or command line cannot be used; nothing was written' },
  {
    code: 3,
    meaning: 'an agent stopped before it was done: out of turns, refused, or without consent',
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

/** Failures that are an answer: what was asked for was looked at, and it is no. */
const answers: ReadonlySet<string> = new Set([
  'not-repairable',
  'not-confirmed',
  'nothing-to-undo',
  'nothing-to-redo',
  'store-damaged',
  'nothing-fits',
  'nothing-to-resume',
]);
