import type { Desk, Settled } from './effect-context.ts';
import type { TaskStatus } from './frontier.ts';
import type { Pending } from './pending.ts';
import { applyTasks } from './tasks/apply.ts';
import { observations } from './tasks/observe.ts';

/** Notes what a call said about tasks, now that it has succeeded. */
export function noteTasks({ desk, call, outcome, text, handle }: Settled): void {
  if (call.kind === 'agent') {
    noteDelegated({ desk, call, status: delegatedStatus({ outcome, text }), handle });
    return;
  }
  if (outcome.state !== 'ok') return;
  const createdId = /#?(\d{1,9})\b/.exec(text.slice(0, 200))?.[1];
  for (const operation of call.tasks) {
    desk.tasks = applyTasks({ tasks: desk.tasks, operation, handle: call.handle, createdId });
  }
  if (call.kind === 'todo-view') noteObserved({ desk, text, handle, isList: true });
}

/** Notes a sight of the list. */
export function noteObserved({
  desk,
  text,
  handle,
  isList = false,
}: {
  readonly desk: Desk;
  readonly text: string;
  readonly handle: number;
  readonly isList?: boolean;
}): void {
  for (const operation of observations({ text, isList })) {
    desk.tasks = applyTasks({ tasks: desk.tasks, operation, handle });
  }
}

/** Notes how far work is that was handed to another agent: from its call on, not from its result. */
export function noteDelegated({
  desk,
  call,
  status,
  handle,
}: {
  readonly desk: Desk;
  readonly call: Pending;
  readonly status: TaskStatus;
  readonly handle: number;
}): void {
  for (const operation of call.tasks) {
    if (operation.op !== 'set') continue;
    const items = operation.items.map((item) => ({ ...item, status }));
    desk.tasks = applyTasks({ tasks: desk.tasks, operation: { ...operation, items }, handle });
  }
}

const going = /\b(?:launched|started|running) in (?:the )?background\b|^Async agent launched/i;

function delegatedStatus({ outcome, text }: Pick<Settled, 'outcome' | 'text'>): TaskStatus {
  switch (outcome.state) {
    case 'ok':
      return going.test(text.slice(0, 400)) ? 'active' : 'done';
    case 'running':
      return 'active';
    case 'refused':
      return 'abandoned';
    default:
      return 'failed';
  }
}
