import type { Message } from '../../message/index.ts';
import { type ToolKind, toolKind } from './tools.ts';

const lists: ReadonlySet<ToolKind | undefined> = new Set(['todo-list', 'todo-step', 'task-update', 'todo-sql']);

/** What known agents call a task that is done. */
const done = /\b(?:completed?|done|finished)\b/i;

/** Whether an answer ticks off a task. A list of tasks is written when one of them changes, so its words will do. */
export function finishesTask({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'tool_call' && lists.has(toolKind(part.name)) && done.test(part.arguments));
}
