import { isObject, type Json, type JsonObject } from '../../../json.ts';
import { listArgument, textArgument } from '../../calls/arguments.ts';
import type { Call } from '../../calls/call.ts';
import type { FileChange } from '../../calls/patch.ts';
import { checkboxItems } from './checkboxes.ts';
import { longestList, type TaskItem, type TaskOperation, taskText } from './operation.ts';
import { sqlOperations } from './sql.ts';
import { statusOf } from './status.ts';

const names = {
  items: ['todos', 'plan', 'todoList', 'task_list', 'tasks', 'items', 'todo_list'],
  text: ['content', 'step', 'title', 'subject', 'description', 'text', 'task', 'label'],
  id: ['id', 'taskId', 'task_id'],
} as const;

/** What a call says about lists of tasks, should it succeed. */
export function taskOperations({
  call,
  id,
  keyOf,
}: {
  readonly call: Call;
  /** The id of the call. */
  readonly id: string;
  /** The name under which a file is kept. */
  readonly keyOf: (path: string) => string;
}): TaskOperation[] {
  const { args, kind } = call;
  switch (kind) {
    case 'todo-list':
      return wholeList(args);
    case 'todo-step':
      return step(args);
    case 'task-create': {
      const item = itemOf(args);
      return item ? [{ op: 'create', list: 'todo', item }] : [];
    }
    case 'task-update': {
      const item = itemOf({ ...args, content: args.subject, description: undefined });
      return item?.id === undefined ? [] : [{ op: 'set', list: 'todo', items: [item] }];
    }
    case 'todo-sql': {
      const query = textArgument({ from: args, names: ['query', 'sql'] }) ?? '';
      return sqlOperations({ query, list: 'todo' });
    }
    case 'agent': {
      const text = textArgument({ from: args, names: ['description', 'name', 'title', 'prompt', 'task', 'message'] });
      return text === undefined
        ? []
        : [{ op: 'set', list: 'agents', items: [{ id, text: taskText(text), status: 'done' }] }];
    }
    default:
      return call.changes.flatMap((change) => fileOperations({ change, list: keyOf(change.path) }));
  }
}

function wholeList(args: JsonObject): TaskOperation[] {
  // VS Code and OpenHands read their lists through the same tool.
  if (args.operation === 'read' || args.command === 'view') return [];
  const list = listArgument({ from: args, names: names.items });
  const items = list
    ? list.slice(0, longestList).flatMap((value) => itemOf(value) ?? [])
    : checkboxItems(textArgument({ from: args, names: names.items }) ?? '').slice(0, longestList);
  if (!list && items.length === 0) return [];
  // Cursor can send only what changed.
  return [args.merge === true ? { op: 'set', list: 'todo', items } : { op: 'list', list: 'todo', items }];
}

function step(args: JsonObject): TaskOperation[] {
  if (listArgument({ from: args, names: names.items })) return wholeList(args);
  const id = textArgument({ from: args, names: names.id });
  const text = textArgument({ from: args, names: names.text });
  switch (args.action) {
    case 'add':
      return text === undefined ? [] : [{ op: 'create', list: 'todo', item: { text: taskText(text) } }];
    case 'toggle':
      return id === undefined ? [] : [{ op: 'toggle', list: 'todo', id }];
    case 'clear':
      return [{ op: 'list', list: 'todo', items: [] }];
    default:
      return [];
  }
}

function itemOf(value: Json): TaskItem | undefined {
  if (typeof value === 'string') return { text: taskText(value) };
  if (!isObject(value)) return undefined;
  const text = textArgument({ from: value, names: names.text });
  const id = textArgument({ from: value, names: names.id });
  const told = statusOf(value.status) ?? (value.done === true || value.completed === true ? 'done' : undefined);
  if (text === undefined && (id === undefined || told === undefined)) return undefined;
  return {
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text: taskText(text) }),
    ...(told && { status: told }),
  };
}

/** Checkbox lists that are written into files: plans, phases, release notes. Code has none. */
function fileOperations({ change, list }: { readonly change: FileChange; readonly list: string }): TaskOperation[] {
  if (!/(?:\.(?:md|mdx|markdown|txt|org|adoc)|(?:^|[\\/])[^.\\/]+)$/i.test(change.path)) return [];
  const added = checkboxItems(change.added).slice(0, longestList);
  if (change.op === 'delete') return [{ op: 'list', list, items: [] }];
  if (change.op === 'write') return added.length === 0 ? [] : [{ op: 'list', list, items: added }];
  const removed = checkboxItems(change.removed).slice(0, longestList);
  return added.length + removed.length === 0 ? [] : [{ op: 'swap', list, removed, added }];
}
