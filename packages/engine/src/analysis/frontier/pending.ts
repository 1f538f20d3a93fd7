import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ToolCallPart } from '../../message/index.ts';
import { argumentNames, listArgument, textArgument } from '../calls/arguments.ts';
import { briefOf, oneLine } from '../calls/brief.ts';
import { type Call, readCall } from '../calls/call.ts';
import type { FileChange } from '../calls/patch.ts';
import { pathKey } from '../calls/paths.ts';
import type { ToolKind } from '../calls/tools.ts';
import { checkboxItems } from './tasks/checkboxes.ts';
import { longestList, type TaskItem, type TaskOperation, taskText } from './tasks/operation.ts';
import { sqlOperations } from './tasks/sql.ts';
import { statusOf } from './tasks/status.ts';

/**
 * A call whose result has not come: all that will matter then, without the contents that were written. Nothing of it
 * holds until the result says so, or a failed edit would count as a change (sessions.md 6.7).
 */
export interface Pending {
  readonly call: string;
  readonly tool: string;
  readonly kind: ToolKind | undefined;
  readonly brief: string;
  readonly handle: number;
  readonly reads: readonly { readonly path: string; readonly isRaw: boolean }[];
  readonly changes: readonly PendingChange[];
  /** How many of `changes` hold also when the command fails. */
  readonly certain: number;
  readonly tasks: readonly TaskOperation[];
  readonly shell?: {
    readonly isRun: boolean;
    readonly isLook: boolean;
    readonly isPiped: boolean;
    readonly isMarking: boolean;
    readonly isBackground: boolean;
    readonly id?: string;
    readonly directory?: string;
    readonly stops: readonly string[];
  };
  /** The shell or agent that a call looks at or ends. */
  readonly target?: string;
  readonly plan?: string;
}

export interface PendingChange {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  readonly hash?: string;
}

/** A command can name thousands of files; so many are kept of it. */
const mostFiles = 200;

/** What a call will mean, should it succeed. */
export function pendingOf({
  part,
  handle,
  root,
}: {
  readonly part: ToolCallPart;
  readonly handle: number;
  readonly root: string | undefined;
}): Pending {
  const call = readCall({ part, directory: root });
  const { shell, kind, args } = call;
  const target = targetOf({ kind, args });
  const plan = kind === 'plan' ? (args.plan ?? args.summary) : undefined;
  return {
    call: part.id,
    tool: part.name,
    kind,
    brief: withoutMove({ brief: briefOf({ call }), root }),
    handle,
    reads: call.reads.slice(0, mostFiles).map(({ path, isRaw }) => ({ path, isRaw })),
    changes: call.changes.slice(0, mostFiles).map(({ path, op, added }) => ({
      path,
      op,
      ...(op === 'write' && { hash: hashOf(added) }),
    })),
    certain: shell?.effects.certain ?? 0,
    tasks: taskOperations({ call, id: part.id, keyOf: (path) => pathKey({ path, root }) }),
    ...(shell && {
      shell: {
        isRun: shell.effects.isRun,
        isLook: shell.effects.isLook,
        isPiped: shell.effects.isPiped,
        isMarking: shell.isMarking,
        isBackground: shell.isBackground,
        ...(shell.id !== undefined && { id: shell.id }),
        ...(shell.directory !== undefined && { directory: shell.directory }),
        stops: shell.effects.stops.slice(0, 20),
      },
    }),
    ...(target !== undefined && { target }),
    ...(typeof plan === 'string' && { plan: titleOf(plan) }),
  };
}

/** The first 16 digits of the SHA-256 of a text in UTF-8: what `sha256sum` begins with. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Going to the root of the project first says nothing. */
function withoutMove({ brief, root }: { readonly brief: string; readonly root: string | undefined }): string {
  const move = `cd ${root} && `;
  return root !== undefined && brief.startsWith(move) && brief.length > move.length ? brief.slice(move.length) : brief;
}

function targetOf({ kind, args }: Pick<Call, 'kind' | 'args'>): string | undefined {
  const looksAtShell = kind === 'shell-output' || kind === 'shell-stop';
  return looksAtShell ? textArgument({ from: args, names: argumentNames.shell }) : undefined;
}

/** The heading of a plan, or its first line. */
function titleOf(plan: string): string {
  return oneLine({ text: plan.replace(/^[#\s*-]+/, ''), length: 160 }).replace(/ …$/, '');
}

const names = {
  items: ['todos', 'plan', 'todoList', 'task_list', 'tasks', 'items', 'todo_list'],
  text: ['content', 'step', 'title', 'subject', 'description', 'text', 'task', 'label'],
  id: ['id', 'taskId', 'task_id'],
} as const;

/** What a call says about lists of tasks, should it succeed. */
function taskOperations({
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
