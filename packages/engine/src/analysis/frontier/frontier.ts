import type { PendingCall } from './pending.ts';

/**
 * The state of the work, derived from the events of a session and never from prose. Plain data: it can be stored with a
 * summary and continued after any number of compactions.
 */
export interface Frontier {
  /** The project directory, if known; paths inside it are shown relative. */
  readonly root?: string;
  /** Last touched last, like all other lists. */
  readonly tasks: readonly FrontierTask[];
  readonly plan?: ProposedPlan;
  readonly commands: readonly CommandRun[];
  readonly tests: readonly TestRun[];
  readonly files: readonly FileFact[];
  readonly processes: readonly RunningProcess[];
  /** Calls without a result yet. */
  readonly pending: readonly PendingCall[];
  /** Tools that have marked a failure: for these, no mark means success. */
  readonly marking: readonly string[];
  /** How many were dropped to stay within the bounds. */
  readonly forgotten: { readonly tasks: number; readonly files: number };
}

/** `open` is not started; `active` is in progress. */
export type TaskStatus = 'open' | 'active' | 'done' | 'failed' | 'abandoned';

export interface FrontierTask {
  /** Its list: `todo`, `agents`, or the path of a file. */
  readonly list: string;
  /** The tool's id of it. */
  readonly id?: string;
  readonly text: string;
  readonly status: TaskStatus;
  /** The entry that last changed it. */
  readonly handle: number;
}

export interface ProposedPlan {
  readonly text: string;
  readonly state: 'proposed' | 'approved' | 'rejected';
  readonly handle: number;
}

export interface CommandRun {
  readonly command: string;
  /** `unknown` if the log has neither an exit code nor a known error mark. */
  readonly state: 'ok' | 'failed' | 'running' | 'refused' | 'stopped' | 'unknown';
  /** If the result contains it. */
  readonly exit?: number;
  /** It only read something. Only the last of these is kept. */
  readonly isLook?: true;
  readonly handle: number;
}

export interface TestRun {
  /** Without directory changes and output filters. */
  readonly command: string;
  /** The test runner or checker that was recognized. */
  readonly runner: string;
  /** `unknown` if neither the output nor an exit code shows the result. */
  readonly result: 'passed' | 'failed' | 'unknown';
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  readonly handle: number;
}

export interface FileFact {
  readonly path: string;
  /** The entry that last read it. */
  readonly read?: number;
  /** The entry that last changed it. */
  readonly changed?: number;
  readonly isDeleted?: true;
  /** The first 16 digits of the SHA-256 of its content, if the whole content was seen last. */
  readonly hash?: string;
}

export interface RunningProcess {
  readonly id: string;
  readonly command: string;
  readonly handle: number;
}

/** Bounds. The newest are kept; open tasks before finished ones, changed files before read ones. */
export const bounds = { tasks: 200, commands: 20, tests: 20, files: 1000, processes: 20, pending: 50 } as const;

/**
 * The frontier of an empty session.
 *
 * @example
 * const frontier = advanceFrontier({ frontier: createFrontier({ root: '/home/me/project' }), items });
 */
export function createFrontier({ root }: { readonly root?: string } = {}): Frontier {
  return {
    ...(root !== undefined && { root }),
    tasks: [],
    commands: [],
    tests: [],
    files: [],
    processes: [],
    pending: [],
    marking: [],
    forgotten: { tasks: 0, files: 0 },
  };
}
