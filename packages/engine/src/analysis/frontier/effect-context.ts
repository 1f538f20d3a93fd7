import type { Outcome } from '../calls/outcome.ts';
import { type FileMap, fileMap, trimFiles } from './files.ts';
import {
  bounds,
  type CommandRun,
  type Frontier,
  type Plan,
  type RunningProcess,
  type Task,
  type TestRun,
} from './frontier.ts';
import type { Pending } from './pending.ts';
import { isFinished } from './tasks/status.ts';

/** The frontier while it is worked on. */
export interface Desk {
  root: string | undefined;
  tasks: readonly Task[];
  plan: Plan | undefined;
  readonly commands: CommandRun[];
  readonly tests: Map<string, TestRun>;
  readonly files: FileMap;
  readonly processes: Map<string, RunningProcess>;
  readonly pending: Pending[];
  readonly marking: Set<string>;
  readonly forgotten: { tasks: number; files: number };
}

/** A call whose result has come. */
export interface Settled {
  readonly desk: Desk;
  readonly call: Pending;
  readonly outcome: Outcome;
  readonly text: string;
  /** The entry with the result. */
  readonly handle: number;
}

export function laidOut({
  root,
  tasks,
  plan,
  commands,
  tests,
  files,
  processes,
  pending,
  marking = [],
  forgotten,
}: Frontier): Desk {
  return {
    root,
    tasks,
    plan,
    commands: [...commands],
    tests: new Map(tests.map((run) => [run.command, run])),
    files: fileMap({ files, root }),
    processes: new Map(processes.map((process) => [process.id, process])),
    pending: [...pending],
    marking: new Set(marking),
    forgotten: { ...forgotten },
  };
}

export function packed({ root, plan, tests, files, processes, marking, ...rest }: Desk): Frontier {
  return {
    ...(root !== undefined && { root }),
    ...(plan && { plan }),
    ...rest,
    tests: [...tests.values()],
    files: [...files.values()],
    processes: [...processes.values()],
    marking: [...marking],
  };
}

/** Keeps the desk small; after each item, so that it does not matter how many are taken at once. */
export function trim(desk: Desk): void {
  const { kept, dropped } = trimTasks(desk.tasks);
  desk.tasks = kept;
  desk.forgotten.tasks += dropped;
  desk.forgotten.files += trimFiles(desk.files);
  trimList({ list: desk.commands, size: bounds.commands });
  trimList({ list: desk.pending, size: bounds.pending });
  trimMap({ map: desk.tests, size: bounds.tests });
  trimMap({ map: desk.processes, size: bounds.processes });
}

function trimList({ list, size }: { readonly list: unknown[]; readonly size: number }): void {
  if (list.length > size) list.splice(0, list.length - size);
}

function trimMap({ map, size }: { readonly map: Map<string, unknown>; readonly size: number }): void {
  for (const key of [...map.keys()].slice(0, Math.max(0, map.size - size))) map.delete(key);
}

/** The tasks within their bound: finished ones go before open ones, the oldest first. */
function trimTasks(tasks: readonly Task[]): { readonly kept: readonly Task[]; readonly dropped: number } {
  const excess = tasks.length - bounds.tasks;
  if (excess <= 0) return { kept: tasks, dropped: 0 };
  const byAge = tasks.toSorted((a, b) => a.handle - b.handle);
  const order = [
    ...byAge.filter(({ status }) => isFinished(status)),
    ...byAge.filter(({ status }) => !isFinished(status)),
  ];
  const gone = new Set(order.slice(0, excess));
  return { kept: tasks.filter((task) => !gone.has(task)), dropped: excess };
}
