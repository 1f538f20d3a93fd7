import type { AgentEvent } from 'longhaul/agent';

/** The end of a run. */
export type RunEnded = Extract<AgentEvent, { readonly type: 'run_end' }>;

/**
 * The exit code of a run.
 *
 * @example
 * exitCodeOfRun({ reason: 'max_turns', missed: 0 }); // 3
 */
export function exitCodeOfRun({
  reason,
  missed,
}: {
  readonly reason: RunEnded['reason'];
  /** Calls that were denied because there was no terminal to ask on. */
  readonly missed: number;
}): number {
  switch (reason) {
    case 'done':
      return missed > 0 ? 3 : 0;
    case 'aborted':
      return 130;
    case 'max_turns':
    case 'max_cost':
    case 'refused':
      return 3;
    case 'failed':
      return 1;
  }
}
