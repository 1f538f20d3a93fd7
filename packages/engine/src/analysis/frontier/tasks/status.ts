import type { TaskStatus } from '../frontier.ts';

/** Status words of todo tools. */
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

/** The status for a tool's word: `in_progress`, `in-progress` and `InProgress` are `active`. */
export function statusOf(word: unknown): TaskStatus | undefined {
  return typeof word === 'string' ? statuses.get(word.toLowerCase().replace(/[^a-z]/g, '')) : undefined;
}

/** Whether only an explicit event may reopen a task with this status. */
export function isFinished(status: TaskStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'abandoned';
}
