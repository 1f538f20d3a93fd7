import type { Message } from '../../message/index.ts';
import { type ToolKind, toolKind } from './tools.ts';

const lists: ReadonlySet<ToolKind | undefined> = new Set(['todo-list', 'todo-step', 'task-update', 'todo-sql']);

/** Words of known agents for a finished task. */
const done = /\b(?:completed?|done|finished)\b/i;

/** Whether an answer finishes a task. Task lists are written when one changes, so a matching word is enough. */
export function finishesTask({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'tool_call' && lists.has(toolKind(part.name)) && done.test(part.arguments));
}
