import { count } from '../../text/count.ts';
import { number } from '../../text/number.ts';
import type { Paint } from '../../text/paint.ts';
import { printable } from '../../text/printable.ts';
import { columns } from '../../text/table.ts';
import type { Tally } from '../tally.ts';

/** What a script came to. */
export interface ScriptReport extends Tally {
  /** Prompts that were said, of those in the script. */
  readonly prompts: number;
  readonly ofPrompts: number;
  readonly requests: number;
  /** Answers that nobody asked for. */
  readonly unused: number;
  readonly denied: number;
}

/**
 * The report for a person.
 *
 * @example
 * scriptReport({ report, paint }).join('\n');
 */
export function scriptReport({ report, paint }: { readonly report: ScriptReport; readonly paint: Paint }): string[] {
  const { ended = 'failed', prompts, ofPrompts, requests, calls, failedCalls, denied, compactions, unused } = report;
  const names = Object.entries(calls).map(([tool, times]) => `${printable(tool)} ${times}`);
  const all = Object.values(calls).reduce((sum, times) => sum + times, 0);
  const rows = [
    ['ended', (ended === 'done' ? paint.good : paint.bad)(ended)],
    ['prompts', `${prompts} of ${ofPrompts}`],
    ['requests', number(requests)],
    ['tool calls', names.length === 0 ? '0' : `${all} (${names.join(', ')})`],
    ['failed calls', failedCalls === 0 ? '0' : `${failedCalls}${denied > 0 ? `, ${denied} of them denied` : ''}`],
    ['compactions', number(compactions)],
    ...(unused > 0 ? [['not asked for', paint.bad(`${count({ amount: unused, of: 'answer' })} of the script`)]] : []),
  ];
  return columns({ rows });
}
