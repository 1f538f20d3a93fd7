import type { Outcome } from '../../calls/outcome.ts';
import { withoutColors } from '../../calls/result-text.ts';
import { runName } from '../../calls/run-name.ts';
import type { TestRun } from '../frontier.ts';
import { type Counts, runnerRows } from './rows.ts';

/** Summaries stand at the end; what is further back than this is not looked at. */
const longest = 64_000;

/** What a run of tests, a type checker or a linter came to; `undefined` where it did not come to an end. */
export function readTestRun({
  text,
  outcome,
  isPiped,
  command,
  handle,
}: {
  readonly text: string;
  readonly outcome: Outcome;
  readonly isPiped: boolean;
  readonly command: string;
  readonly handle: number;
}): TestRun | undefined {
  if (outcome.state !== 'ok' && outcome.state !== 'failed') return undefined;
  const run = { command: runName(command), handle };
  const said = withoutColors(text.slice(-longest));
  for (const { runner, read } of runnerRows) {
    const counts = read(said);
    if (counts) return { ...run, runner, result: resultOf({ counts, outcome, isPiped }), ...counts };
  }
  if (outcome.state === 'failed' && !isPiped) return { ...run, runner: 'exit code', result: 'failed' };
  const isKnown = !outcome.isUnproven && !isPiped;
  return { ...run, runner: 'exit code', result: isKnown ? 'passed' : 'unknown' };
}

/** Counts of failures weigh more than an exit code, which a pipe into `tail` or `grep` hides. */
function resultOf({
  counts,
  outcome,
  isPiped,
}: {
  readonly counts: Counts;
  readonly outcome: Outcome;
  readonly isPiped: boolean;
}): TestRun['result'] {
  if ((counts.failed ?? 0) > 0) return 'failed';
  // Nothing was counted: what is left is how it ended.
  if (counts.passed === undefined && counts.failed === undefined && outcome.isUnproven) return 'unknown';
  return outcome.state === 'failed' && !isPiped ? 'failed' : 'passed';
}
