import type { FrontierTask, TaskStatus } from '../frontier.ts';
import type { TaskItem, TaskOperation } from './operation.ts';
import { isFinished } from './status.ts';

/**
 * The tasks after an event. Only tasks that the event names change: a finished task is reopened only by an event about the
 * same task, never because a list was repeated (cx#38931, cc#27319).
 */
export function applyTasks({
  tasks,
  operation,
  handle,
  createdId,
}: {
  readonly tasks: readonly FrontierTask[];
  readonly operation: TaskOperation;
  readonly handle: number;
  /** The id of a created task, from the result. */
  readonly createdId?: string | undefined;
}): readonly FrontierTask[] {
  const { list } = operation;
  const others = tasks.filter((task) => task.list !== list);
  const own = tasks.filter((task) => task.list === list);
  const source = { list, handle };
  switch (operation.op) {
    case 'list': {
      const { rest, next } = replaced({ own, removed: own, added: operation.items, source });
      return [...others, ...rest, ...next];
    }
    case 'swap': {
      const gone = new Set(operation.removed.map(({ text }) => keyOf(text)));
      const removed = own.filter((task) => gone.has(keyOf(task.text)));
      return [...others, ...replaced({ own, removed, added: operation.added, source }).inPlace];
    }
    case 'set':
      return [...others, ...operation.items.reduce((so, item) => withItem({ own: so, item, source }), own)];
    case 'observe': {
      const news = operation.items.filter((item) => {
        const known = sameTask({ own, item });
        return !known || (!isFinished(known.status) && known.status !== item.status);
      });
      return [...others, ...news.reduce((so, item) => withItem({ own: so, item, source }), own)];
    }
    case 'create': {
      const item = createdId === undefined ? operation.item : { ...operation.item, id: createdId };
      return [...others, ...own.filter(({ id }) => id === undefined || id !== createdId), createTask({ item, source })];
    }
    case 'mark':
      return [
        ...others,
        ...own.map((task) =>
          isMarked({ task, operation }) ? withStatus({ task, to: operation.status, handle }) : task,
        ),
      ];
    case 'toggle': {
      const flip = (task: FrontierTask) => withStatus({ task, to: task.status === 'done' ? 'open' : 'done', handle });
      return [...others, ...own.map((task) => (task.id === operation.id ? flip(task) : task))];
    }
  }
}

interface TaskSource {
  readonly list: string;
  readonly handle: number;
}

/**
 * Replaces `removed` by `added`. An item similar to an unfinished task is that task reworded; one similar to a finished
 * task is new. Open tasks that are no longer listed are abandoned.
 */
function replaced({
  own,
  removed,
  added,
  source,
}: {
  readonly own: readonly FrontierTask[];
  readonly removed: readonly FrontierTask[];
  readonly added: readonly TaskItem[];
  readonly source: TaskSource;
}): {
  readonly next: readonly FrontierTask[];
  readonly rest: readonly FrontierTask[];
  readonly inPlace: readonly FrontierTask[];
} {
  const free = new Map(own.map((task) => [keyOf(task.text), task]));
  // If a list contains a task twice, the last one counts.
  const items = [...new Map(added.map((item) => [keyOf(item.text), item])).values()];
  const exact = items.map((item) => take({ free, key: keyOf(item.text) }));
  const nearby = removed.filter((task) => free.has(keyOf(task.text)) && !isFinished(task.status));
  const successors = new Map<FrontierTask, FrontierTask>();
  const next = items.map((item, index) => {
    const old = exact[index] ?? take({ free, key: keyOf(nearest({ item, among: nearby, free })?.text) });
    if (!old) return createTask({ item, source });
    const task = updated({ task: old, item, handle: source.handle });
    successors.set(old, task);
    return task;
  });
  for (const task of removed) {
    if (successors.has(task) || isFinished(task.status)) continue;
    successors.set(task, withStatus({ task, to: 'abandoned', handle: source.handle }));
  }
  const all = new Set(next);
  const inPlace = own.map((task) => successors.get(task) ?? task);
  const placed = new Set(inPlace);
  return {
    next,
    rest: inPlace.filter((task) => !all.has(task)),
    inPlace: [...inPlace, ...next.filter((task) => !placed.has(task))],
  };
}

function take({
  free,
  key,
}: {
  readonly free: Map<string, FrontierTask>;
  readonly key: string;
}): FrontierTask | undefined {
  const task = free.get(key);
  if (task) free.delete(key);
  return task;
}

function nearest({
  item,
  among,
  free,
}: {
  readonly item: TaskItem;
  readonly among: readonly FrontierTask[];
  readonly free: ReadonlyMap<string, FrontierTask>;
}): FrontierTask | undefined {
  let best: FrontierTask | undefined;
  let score = 0.6;
  for (const task of among) {
    const near = free.has(keyOf(task.text)) ? similarity(task.text, item.text ?? '') : 0;
    if (near >= score) [best, score] = [task, near];
  }
  return best;
}

function withItem({
  own,
  item,
  source,
}: {
  readonly own: readonly FrontierTask[];
  readonly item: TaskItem;
  readonly source: TaskSource;
}): FrontierTask[] {
  const known = sameTask({ own, item });
  if (known) return own.map((task) => (task === known ? updated({ task, item, handle: source.handle }) : task));
  return item.text === undefined ? [...own] : [...own, createTask({ item, source })];
}

function sameTask({
  own,
  item,
}: {
  readonly own: readonly FrontierTask[];
  readonly item: TaskItem;
}): FrontierTask | undefined {
  if (item.id !== undefined) {
    const named = own.find(({ id }) => id === item.id);
    // Tools number each list from 1: the same id with a different text is another task.
    if (named && (item.text === undefined || similarity(named.text, item.text) > 0.3)) return named;
  }
  return item.text === undefined ? undefined : own.find(({ text }) => keyOf(text) === keyOf(item.text));
}

function isMarked({
  task,
  operation,
}: {
  readonly task: FrontierTask;
  readonly operation: Extract<TaskOperation, { readonly op: 'mark' }>;
}): boolean {
  if (operation.ids) return task.id !== undefined && operation.ids.includes(task.id);
  return operation.from === undefined || task.status === operation.from;
}

function createTask({ item, source }: { readonly item: TaskItem; readonly source: TaskSource }): FrontierTask {
  const { id, text = '', status = 'open' } = item;
  return { list: source.list, ...(id !== undefined && { id }), text, status, handle: source.handle };
}

function updated({
  task,
  item,
  handle,
}: {
  readonly task: FrontierTask;
  readonly item: TaskItem;
  readonly handle: number;
}): FrontierTask {
  const { text = task.text, status = task.status } = item;
  const isNews = status !== task.status || text !== task.text;
  return {
    ...task,
    ...(item.id !== undefined && { id: item.id }),
    text,
    status,
    handle: isNews ? handle : task.handle,
  };
}

function withStatus({
  task,
  to,
  handle,
}: {
  readonly task: FrontierTask;
  readonly to: TaskStatus;
  readonly handle: number;
}): FrontierTask {
  return task.status === to ? task : { ...task, status: to, handle };
}

/** A key that ignores case, whitespace and punctuation. */
function keyOf(text: string | undefined): string {
  return (text ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The Jaccard similarity of the words of two texts. */
function similarity(a: string, b: string): number {
  const left = new Set(keyOf(a).split(' '));
  const right = new Set(keyOf(b).split(' '));
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(1, left.size + right.size - common);
}
