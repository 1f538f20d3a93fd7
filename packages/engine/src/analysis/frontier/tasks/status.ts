import type { TaskStatus } from '../frontier.ts';

/** The words of todo tools for how far a task is. */
const words: Readonly<Record<TaskStatus, readonly string[]>> = {
  open: ['pending', 'todo', 'open', 'notstarted', 'queued', 'new', 'planned', 'ready', 'backlog', 'uncompleted'],
  active: ['inprogress', 'active', 'doing', 'started', 'running', 'wip', 'current'],
  done: ['completed', 'complete', 'done', 'finished', 'closed', 'resolved', 'merged'],
  failed: ['failed', 'error', 'errored', 'blocked', 'broken'],
  abandoned: ['cancelled', 'canceled', 'abandoned', 'deleted', 'skipped', 'dropped', 'wontfix', 'removed', 'deferred'],
};

const statuses: ReadonlyMap<string, TaskStatus> = new Map(
  Object.entries(words).flatMap(([status, names]) => names.map((name) => [name, status as TaskStatus])),
);

/** The status behind a tool's word for it: `in_progress`, `in-progress` and `InProgress` are `active`. */
export function statusOf(word: unknown): TaskStatus | undefined {
  return typeof word === 'string' ? statuses.get(word.toLowerCase().replace(/[^a-z]/g, '')) : undefined;
}

/** What only an event may take back. */
export function isFinished(status: TaskStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'abandoned';
}
