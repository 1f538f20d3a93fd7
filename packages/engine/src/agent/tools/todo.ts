import { LonghaulError } from '../../errors.ts';
import type { Json } from '../../message/index.ts';
import type { Tool } from '../tool.ts';
import { readItems } from './arguments.ts';
import { defineTool, toolText } from './define.ts';

const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
const signs: Readonly<Record<string, string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
  failed: '[!]',
  cancelled: '[-]',
};

/** Longer lists are not plans; the frontier reads no more either. */
const maxTodos = 100;

interface Todo {
  readonly content: string;
  readonly status: string;
}

/** Stores the todo list in the state of the session, where summaries find it. */
export function todoTool({ keep }: { readonly keep: (state: { readonly todos: Json }) => Promise<void> }): Tool {
  return defineTool<readonly Todo[]>({
    name: 'todo',
    isBound: true,
    description:
      'Stores the todo list. Give the whole list each time; it survives when the conversation is summarized. Use it for work of several steps.',
    properties: {
      todos: {
        type: 'array',
        maxItems: maxTodos,
        items: {
          type: 'object',
          properties: { content: { type: 'string' }, status: { type: 'string', enum: statuses } },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['todos'],
    target: (args) => {
      const list = args.list('todos');
      if (!list) throw badTodos('todo needs todos, a list');
      if (list.length > maxTodos) throw badTodos(`The list has ${list.length} items; the limit is ${maxTodos}`);
      return readItems({ items: list, tool: 'todo', known: ['content', 'status'] }).map((item) => {
        const status = item.text('status') ?? 'pending';
        if (!statuses.some((known) => known === status)) throw badTodos(`Unknown status ${JSON.stringify(status)}`);
        return { content: item.needText('content'), status };
      });
    },
    run: async ({ target }) => {
      const todos = target.map(({ content, status }) => ({ content, status }));
      await keep({ todos });
      return toolText(['Todo list:', ...todos.map(lineOf)].join('\n'), { todos });
    },
  });
}

function lineOf({ content, status }: Todo): string {
  return `- ${signs[status]} ${content.replace(/\s+/g, ' ')}`;
}

function badTodos(message: string): LonghaulError {
  const hint = `Give each item content and a status: ${statuses.join(', ')}.`;
  return new LonghaulError({ code: 'bad-arguments', message: `${message}.`, hint });
}
