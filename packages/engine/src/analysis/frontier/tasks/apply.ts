import type { Task, TaskStatus } from '../frontier.ts';
import type { TaskItem, TaskOperation } from './operation.ts';
import { isFinished } from './status.ts';

/**
 * The tasks after an event. Only what the event names changes: a finished task is open again only where the event says
 * so of the same task, and never because a list was told again (cx#38931, cc#27319).
 */
export function applyTasks({
  tasks,
  operation,
  handle,
  createdId,
}: {
  readonly tasks: readonly Task[];
  readonly operation: TaskOperation;
  readonly handle: number;
  /** What the result calls a task that was made. */
  readonly createdId?: string | undefined;
}): readonly Task[] {
  const { list } = operation;
  const others = tasks.filter((task) => task.list !== list);
  const own = tasks.filter((task) => task.list === list);
  const told = { list, handle };
  switch (operation.op) {
    case 'list': {
      const { rest, next } = replaced({ own, removed: own, added: operation.items, told });
      return [...others, ...rest, ...next];
    }
    case 'swap': {
      const gone = new Set(operation.removed.map(({ text }) => keyOf(text)));
      const removed = own.filter((task) => gone.has(keyOf(task.text)));
      return [...others, ...replaced({ own, removed, added: operation.added, told }).inPlace];
    }
    case 'set':
      return [...others, ...operation.items.reduce((so, item) => withItem({ own: so, item, told }), own)];
    case 'observe': {
      const news = operation.items.filter((item) => {
        const known = sameTask({ own, item });
        return !known || (!isFinished(known.status) && known.status !== item.status);
      });
      return [...others, ...news.reduce((so, item) => withItem({ own: so, item, told }), own)];
    }
    case 'create': {
      const item = createdId === undefined ? operation.item : { ...operation.item, id: createdId };
      return [...others, ...own.filter(({ id }) => id === undefined || id !== createdId), made({ item, told })];
    }
    case 'mark':
      return [
        ...others,
        ...own.map((task) => (isMarked({ task, operation }) ? moved({ task, to: operation.status, handle }) : task)),
      ];
    case 'toggle': {
      const flip = (task: Task) => moved({ task, to: task.status === 'done' ? 'open' : 'done', handle });
      return [...others, ...own.map((task) => (task.id === operation.id ? flip(task) : task))];
    }
  }
}

interface Told {
  readonly list: string;
  readonly handle: number;
}

/**
 * What was written in place of `removed`. An item that is nearly an old one is that one in other words, but only if the
 * old one is not finished: new work that sounds like done work is new. Open work that nobody names any more was given up.
 */
function replaced({
  own,
  removed,
  added,
  told,
}: {
  readonly own: readonly Task[];
  readonly removed: readonly Task[];
  readonly added: readonly TaskItem[];
  readonly told: Told;
}): { readonly next: readonly Task[]; readonly rest: readonly Task[]; readonly inPlace: readonly Task[] } {
  const free = new Map(own.map((task) => [keyOf(task.text), task]));
  // A list that names a task twice means the last it says of it.
  const items = [...new Map(added.map((item) => [keyOf(item.text), item])).values()];
  const exact = items.map((item) => take({ free, key: keyOf(item.text) }));
  const nearby = removed.filter((task) => free.has(keyOf(task.text)) && !isFinished(task.status));
  const successors = new Map<Task, Task>();
  const next = items.map((item, index) => {
    const old = exact[index] ?? take({ free, key: keyOf(nearest({ item, among: nearby, free })?.text) });
    if (!old) return made({ item, told });
    const task = renewed({ task: old, item, handle: told.handle });
    successors.set(old, task);
    return task;
  });
  for (const task of removed) {
    if (successors.has(task) || isFinished(task.status)) continue;
    successors.set(task, moved({ task, to: 'abandoned', handle: told.handle }));
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

function take({ free, key }: { readonly free: Map<string, Task>; readonly key: string }): Task | undefined {
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
  readonly among: readonly Task[];
  readonly free: ReadonlyMap<string, Task>;
}): Task | undefined {
  let best: Task | undefined;
  let score = 0.6;
  for (const task of among) {
    const near = free.has(keyOf(task.text)) ? likeness(task.text, item.text ?? '') : 0;
    if (near >= score) [best, score] = [task, near];
  }
  return best;
}

function withItem({
  own,
  item,
  told,
}: {
  readonly own: readonly Task[];
  readonly item: TaskItem;
  readonly told: Told;
}): Task[] {
  const known = sameTask({ own, item });
  if (known) return own.map((task) => (task === known ? renewed({ task, item, handle: told.handle }) : task));
  return item.text === undefined ? [...own] : [...own, made({ item, told })];
}

function sameTask({ own, item }: { readonly own: readonly Task[]; readonly item: TaskItem }): Task | undefined {
  if (item.id !== undefined) {
    const named = own.find(({ id }) => id === item.id);
    // Tools number each list from 1: the same number with other words is another task.
    if (named && (item.text === undefined || likeness(named.text, item.text) > 0.3)) return named;
  }
  return item.text === undefined ? undefined : own.find(({ text }) => keyOf(text) === keyOf(item.text));
}

function isMarked({
  task,
  operation,
}: {
  readonly task: Task;
  readonly operation: Extract<TaskOperation, { readonly op: 'mark' }>;
}): boolean {
  if (operation.ids) return task.id !== undefined && operation.ids.includes(task.id);
  return operation.from === undefined || task.status === operation.from;
}

function made({ item, told }: { readonly item: TaskItem; readonly told: Told }): Task {
  const { id, text = '', status = 'open' } = item;
  return { list: told.list, ...(id !== undefined && { id }), text, status, handle: told.handle };
}

function renewed({
  task,
  item,
  handle,
}: {
  readonly task: Task;
  readonly item: TaskItem;
  readonly handle: number;
}): Task {
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

function moved({ task, to, handle }: { readonly task: Task; readonly to: TaskStatus; readonly handle: number }): Task {
  return task.status === to ? task : { ...task, status: to, handle };
}

/** The same for texts that differ in case, spaces or signs only. */
function keyOf(text: string | undefined): string {
  return (text ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The share of words that two texts have in common. */
function likeness(a: string, b: string): number {
  const left = new Set(keyOf(a).split(' '));
  const right = new Set(keyOf(b).split(' '));
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(1, left.size + right.size - common);
}
