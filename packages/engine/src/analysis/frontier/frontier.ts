import type { Pending } from './pending.ts';

/**
 * Where the work stands, as the events of a session tell it: no sentence of anybody is believed. Plain data: it can be
 * stored beside a summary and taken up again after any number of compactions.
 */
export interface Frontier {
  /** The folder of the project, where it is known: the same file is named from here and from the root of the disk. */
  readonly root?: string;
  /** In the order in which they were last touched, the newest last; so are all other lists. */
  readonly tasks: readonly Task[];
  readonly plan?: Plan;
  readonly commands: readonly CommandRun[];
  readonly tests: readonly TestRun[];
  readonly files: readonly FileFact[];
  readonly processes: readonly RunningProcess[];
  /** Calls whose results have not come. */
  readonly pending: readonly Pending[];
  /** Tools of which a failure was marked: with these the absence of a mark is a success. */
  readonly marking: readonly string[];
  /** How many were let go to keep this small. */
  readonly forgotten: { readonly tasks: number; readonly files: number };
}

/** `open` is agreed and not begun; `active` is in the works. */
export type TaskStatus = 'open' | 'active' | 'done' | 'failed' | 'abandoned';

export interface Task {
  /** Which list it stands in: `todo`, `agents`, or the path of a file. */
  readonly list: string;
  /** What the tool calls it. */
  readonly id?: string;
  readonly text: string;
  readonly status: TaskStatus;
  /** The entry that last said so. */
  readonly handle: number;
}

export interface Plan {
  readonly text: string;
  readonly state: 'proposed' | 'approved' | 'rejected';
  readonly handle: number;
}

export interface CommandRun {
  readonly command: string;
  /** `unknown` where the log records neither an exit code nor that its agent marks failures. */
  readonly state: 'ok' | 'failed' | 'running' | 'refused' | 'stopped' | 'unknown';
  /** Where the result tells it. */
  readonly exit?: number;
  /** It only looked at things. Of these the last one is kept. */
  readonly isLook?: true;
  readonly handle: number;
}

export interface TestRun {
  /** Without what only changes where it runs or how much of it is shown. */
  readonly command: string;
  /** The tool whose words were recognized. */
  readonly runner: string;
  /** `unknown` where it ran and neither its words nor an exit code tell more. */
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
  /** The first 16 digits of the SHA-256 of its content, where the content was last seen whole. */
  readonly hash?: string;
}

export interface RunningProcess {
  readonly id: string;
  readonly command: string;
  readonly handle: number;
}

/** How much is kept. The newest stay; open work stays before finished work, changed files before read ones. */
export const bounds = { tasks: 200, commands: 20, tests: 20, files: 1000, processes: 20, pending: 50 } as const;

/**
 * The frontier of a session in which nothing has happened.
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
