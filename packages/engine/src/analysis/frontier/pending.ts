import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ToolCallPart } from '../../message/index.ts';
import { argumentNames, listArgument, textArgument } from '../calls/arguments.ts';
import { briefOf, oneLine } from '../calls/brief.ts';
import { type ParsedCall, readCall } from '../calls/call.ts';
import type { FileChange } from '../calls/patch.ts';
import { pathKey } from '../calls/paths.ts';
import type { ToolKind } from '../calls/tools.ts';
import type { TaskStatus } from './frontier.ts';
import { checkboxItems } from './tasks/checkboxes.ts';
import { longestList, type TaskItem, type TaskOperation, taskText } from './tasks/operation.ts';
import { statusOf } from './tasks/status.ts';

/**
 * A call without a result yet: what the result will need, without written contents. Its effects apply only when the result
 * reports success; otherwise a failed edit would count as a change (sessions.md 6.7).
 */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly kind: ToolKind | undefined;
  readonly brief: string;
  readonly handle: number;
  readonly reads: readonly { readonly path: string; readonly isRaw: boolean }[];
  readonly changes: readonly PendingChange[];
  /** How many of `changes` apply even if the command fails. */
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
  /** The shell or agent that the call reads or ends. */
  readonly target?: string;
  readonly plan?: string;
}

export interface PendingChange {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  readonly hash?: string;
}

/** Maximum files of one call; a command can name thousands. */
const maxFiles = 200;

/** The effects of a call if it succeeds. */
export function pendingOf({
  part,
  handle,
  root,
}: {
  readonly part: ToolCallPart;
  readonly handle: number;
  readonly root: string | undefined;
}): PendingCall {
  const call = readCall({ part, directory: root });
  const { shell, kind, args } = call;
  const target = targetOf({ kind, args });
  const plan = kind === 'plan' ? (args.plan ?? args.summary) : undefined;
  return {
    call: part.id,
    tool: part.name,
    kind,
    brief: withoutRootChange({ brief: briefOf({ call }), root }),
    handle,
    reads: call.reads.slice(0, maxFiles).map(({ path, isRaw }) => ({ path, isRaw })),
    changes: call.changes.slice(0, maxFiles).map(({ path, op, added }) => ({
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

/** The first 16 digits of the SHA-256 of a text in UTF-8, as printed by `sha256sum`. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Removes a leading `cd` to the project root. */
function withoutRootChange({ brief, root }: { readonly brief: string; readonly root: string | undefined }): string {
  const change = `cd ${root} && `;
  return root !== undefined && brief.startsWith(change) && brief.length > change.length
    ? brief.slice(change.length)
    : brief;
}

function targetOf({ kind, args }: Pick<ParsedCall, 'kind' | 'args'>): string | undefined {
  const hasTarget = kind === 'shell-output' || kind === 'shell-stop';
  return hasTarget ? textArgument({ from: args, names: argumentNames.shell }) : undefined;
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

/** The task operations of a call if it succeeds. */
function taskOperations({
  call,
  id,
  keyOf,
}: {
  readonly call: ParsedCall;
  /** The id of the call. */
  readonly id: string;
  /** The key of a file. */
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
  // VS Code and OpenHands use the same tool to read their lists.
  if (args.operation === 'read' || args.command === 'view') return [];
  const list = listArgument({ from: args, names: names.items });
  const items = list
    ? list.slice(0, longestList).flatMap((value) => itemOf(value) ?? [])
    : checkboxItems(textArgument({ from: args, names: names.items }) ?? '').slice(0, longestList);
  if (!list && items.length === 0) return [];
  // Cursor can send only the changed items.
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
  const status = statusOf(value.status) ?? (value.done === true || value.completed === true ? 'done' : undefined);
  if (text === undefined && (id === undefined || status === undefined)) return undefined;
  return {
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text: taskText(text) }),
    ...(status && { status }),
  };
}

/** Checkbox lists in text files such as plans; code files are ignored. */
function fileOperations({ change, list }: { readonly change: FileChange; readonly list: string }): TaskOperation[] {
  if (!/(?:\.(?:md|mdx|markdown|txt|org|adoc)|(?:^|[\\/])[^.\\/]+)$/i.test(change.path)) return [];
  const added = checkboxItems(change.added).slice(0, longestList);
  if (change.op === 'delete') return [{ op: 'list', list, items: [] }];
  if (change.op === 'write') return added.length === 0 ? [] : [{ op: 'list', list, items: added }];
  const removed = checkboxItems(change.removed).slice(0, longestList);
  return added.length + removed.length === 0 ? [] : [{ op: 'swap', list, removed, added }];
}

/**
 * Copilot CLI keeps its todos in a table that the model edits with SQL. Understands simple inserts, updates and deletes of
 * `todos`; other statements are ignored.
 */
function sqlOperations({ query, list }: { readonly query: string; readonly list: string }): TaskOperation[] {
  return statements(query).flatMap((tokens) => operationOf({ tokens, list }) ?? []);
}

interface SqlToken {
  readonly kind: 'word' | 'text' | 'sign';
  readonly text: string;
}

const token = /'((?:[^']|'')*)'|"([^"]*)"|([A-Za-z_][\w.]*|-?\d+(?:\.\d+)?)|([(),;=*])/g;

/** A longer query is not a todo list. */
const maxQuery = 100_000;

function statements(query: string): SqlToken[][] {
  const all: SqlToken[][] = [[]];
  for (const [, text, quoted, word, sign] of query.slice(0, maxQuery).matchAll(token)) {
    if (sign === ';') all.push([]);
    else if (text !== undefined) all.at(-1)?.push({ kind: 'text', text: text.replaceAll("''", "'") });
    else all.at(-1)?.push({ kind: sign === undefined ? 'word' : 'sign', text: sign ?? quoted ?? word ?? '' });
  }
  return all;
}

function operationOf({ tokens, list }: { readonly tokens: readonly SqlToken[]; readonly list: string }) {
  const table = tokens.findIndex(({ text }) => text.toLowerCase() === 'todos');
  const rest = tokens.slice(table + 1);
  switch (table < 0 ? '' : word(tokens[0])) {
    case 'insert':
      return insertion({ rest, list });
    case 'update':
      return update({ rest, list });
    case 'delete':
      return { op: 'mark' as const, list, ...where(rest), status: 'abandoned' as const };
    default:
      return undefined;
  }
}

function insertion({ rest, list }: { readonly rest: readonly SqlToken[]; readonly list: string }): TaskOperation {
  const [columns = [], ...rows] = groups(rest);
  const items = rows.slice(0, longestList).map((row): TaskItem => {
    const cell = (name: string) => row[columns.findIndex((column) => column.toLowerCase() === name)];
    const id = cell('id');
    const text = cell('title') ?? cell('description') ?? id ?? '';
    const status = statusOf(cell('status'));
    return { ...(id !== undefined && { id }), text: taskText(text), ...(status && { status }) };
  });
  return { op: 'set', list, items };
}

function update({
  rest,
  list,
}: {
  readonly rest: readonly SqlToken[];
  readonly list: string;
}): TaskOperation | undefined {
  const at = rest.findIndex((one, index) => word(one) === 'status' && rest[index + 1]?.text === '=');
  const stop = rest.findIndex((one) => word(one) === 'where');
  if (at < 0 || (stop >= 0 && at > stop)) return undefined;
  const status = statusOf(rest[at + 2]?.text);
  return status && { op: 'mark', list, ...where(rest), status };
}

/** `WHERE id = 'a'`, `WHERE id IN ('a', 'b')`, `WHERE status = 'pending'`; without it, all rows. */
function where(rest: readonly SqlToken[]): { readonly ids?: readonly string[]; readonly from?: TaskStatus } {
  const at = rest.findIndex((one) => word(one) === 'where');
  if (at < 0) return {};
  const condition = rest.slice(at + 1);
  const values = condition.filter(({ kind, text }) => kind === 'text' || /^-?\d/.test(text)).map(({ text }) => text);
  const from = statusOf(values[0]);
  if (word(condition[0]) === 'status' && from) return { from };
  // A condition that is not understood matches nothing rather than everything.
  return { ids: word(condition[0]) === 'id' ? values : [] };
}

/** The parenthesized lists: the columns, then one list per row. */
function groups(tokens: readonly SqlToken[]): string[][] {
  const all: string[][] = [];
  let isOpen = false;
  for (const { kind, text } of tokens) {
    if (kind === 'sign' && text === '(') {
      isOpen = true;
      all.push([]);
    } else if (kind === 'sign' && text === ')') isOpen = false;
    else if (isOpen && kind !== 'sign') all.at(-1)?.push(text);
  }
  return all;
}

function word(one: SqlToken | undefined): string {
  return one?.kind === 'word' ? one.text.toLowerCase() : '';
}
