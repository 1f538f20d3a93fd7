import type { TaskStatus } from '../frontier.ts';
import { longestList, type TaskItem, type TaskOperation, taskText } from './operation.ts';
import { statusOf } from './status.ts';

/**
 * Copilot CLI keeps its todos in a table that the model fills by SQL. Read are the statements it writes: inserting,
 * updating and deleting rows of `todos`; anything cleverer says nothing here.
 */
export function sqlOperations({ query, list }: { readonly query: string; readonly list: string }): TaskOperation[] {
  return statements(query).flatMap((tokens) => operationOf({ tokens, list }) ?? []);
}

interface Token {
  readonly kind: 'word' | 'text' | 'sign';
  readonly text: string;
}

const token = /'((?:[^']|'')*)'|"([^"]*)"|([A-Za-z_][\w.]*|-?\d+(?:\.\d+)?)|([(),;=*])/g;

/** Beyond this it is no list of todos. */
const longestQuery = 100_000;

function statements(query: string): Token[][] {
  const all: Token[][] = [[]];
  for (const [, text, quoted, word, sign] of query.slice(0, longestQuery).matchAll(token)) {
    if (sign === ';') all.push([]);
    else if (text !== undefined) all.at(-1)?.push({ kind: 'text', text: text.replaceAll("''", "'") });
    else all.at(-1)?.push({ kind: sign === undefined ? 'word' : 'sign', text: sign ?? quoted ?? word ?? '' });
  }
  return all;
}

function operationOf({ tokens, list }: { readonly tokens: readonly Token[]; readonly list: string }) {
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

function insertion({ rest, list }: { readonly rest: readonly Token[]; readonly list: string }): TaskOperation {
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

function update({ rest, list }: { readonly rest: readonly Token[]; readonly list: string }): TaskOperation | undefined {
  const at = rest.findIndex((one, index) => word(one) === 'status' && rest[index + 1]?.text === '=');
  const stop = rest.findIndex((one) => word(one) === 'where');
  if (at < 0 || (stop >= 0 && at > stop)) return undefined;
  const status = statusOf(rest[at + 2]?.text);
  return status && { op: 'mark', list, ...where(rest), status };
}

/** `WHERE id = 'a'`, `WHERE id IN ('a', 'b')`, `WHERE status = 'pending'`; without it, all rows. */
function where(rest: readonly Token[]): { readonly ids?: readonly string[]; readonly from?: TaskStatus } {
  const at = rest.findIndex((one) => word(one) === 'where');
  if (at < 0) return {};
  const condition = rest.slice(at + 1);
  const values = condition.filter(({ kind, text }) => kind === 'text' || /^-?\d/.test(text)).map(({ text }) => text);
  const from = statusOf(values[0]);
  if (word(condition[0]) === 'status' && from) return { from };
  // A condition that is not understood names nothing rather than everything.
  return { ids: word(condition[0]) === 'id' ? values : [] };
}

/** The lists in brackets: the columns, then a list for each row. */
function groups(tokens: readonly Token[]): string[][] {
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

function word(one: Token | undefined): string {
  return one?.kind === 'word' ? one.text.toLowerCase() : '';
}
