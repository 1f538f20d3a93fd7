import type { TaskStatus } from '../frontier.ts';
import { type TaskItem, taskText } from './operation.ts';

const box = /^\s*(?:(?:[-*+]|\d{1,4}[.)])\s+)?\[([ xX~/!>-])\]\s+(?:#(\d{1,9}):?\s+)?(\S.*)$/;

/** A numbered item with a status word, as in reminders of agents: `2. [in_progress] Run the tests`. */
const numbered = /^\[?#?(\d{1,4})\.?\s+\[(\w{3,12})\]\s+(\S.*?)\]?$/;

const signs: Readonly<Record<string, TaskStatus>> = {
  ' ': 'open',
  x: 'done',
  X: 'done',
  '~': 'active',
  '/': 'active',
  '!': 'failed',
  '>': 'abandoned',
  '-': 'abandoned',
};

/** The items of a checkbox list (`- [ ]`, `- [x]`). Code blocks are ignored. */
export function checkboxItems(text: string): TaskItem[] {
  if (!text.includes('[')) return [];
  const items: TaskItem[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || line.length > 2000) continue;
    const [, sign, id, words] = box.exec(line) ?? [];
    const status = sign === undefined ? undefined : signs[sign];
    if (status !== undefined && words !== undefined)
      items.push({ text: taskText(words), status, ...(id !== undefined && { id }) });
  }
  return items;
}

/** The items of a numbered list; `read` maps status words to a status. */
export function numberedItems({
  text,
  read,
}: {
  readonly text: string;
  readonly read: (word: string) => TaskStatus | undefined;
}): TaskItem[] {
  return text.split('\n').flatMap((line): TaskItem[] => {
    const [, id, word, words] = line.length > 2000 ? [] : (numbered.exec(line.trim()) ?? []);
    const status = word === undefined ? undefined : read(word);
    return status !== undefined && words !== undefined ? [{ text: taskText(words), status, id: id ?? '' }] : [];
  });
}
