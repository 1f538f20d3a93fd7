import { bounds, type Task } from '../frontier.ts';
import { isFinished } from './status.ts';

/** The tasks within their bound: finished ones go before open ones, the oldest first. */
export function trimTasks(tasks: readonly Task[]): { readonly kept: readonly Task[]; readonly dropped: number } {
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
