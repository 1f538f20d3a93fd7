import { checkboxItems, numberedItems } from './checkboxes.ts';
import type { TaskOperation } from './operation.ts';
import { statusOf } from './status.ts';

/**
 * A list of tasks that a client or a tool tells again: `<todos>` in a reminder, the result of listing. It is a sight of
 * the list at some time, perhaps an old one, so it may not reopen anything.
 */
export function observations({
  text,
  isList = false,
}: {
  readonly text: string;
  /** Whether the whole text is such a list. */
  readonly isList?: boolean;
}): TaskOperation[] {
  const told = isList ? text : taggedIn(text);
  if (told === undefined) return [];
  const items = [...checkboxItems(told), ...numberedItems({ text: told, read: statusOf })];
  return items.length === 0 ? [] : [{ op: 'observe', list: 'todo', items }];
}

function taggedIn(text: string): string | undefined {
  const start = text.indexOf('<todos>');
  const end = start < 0 ? -1 : text.indexOf('</todos>', start);
  return end < 0 ? undefined : text.slice(start + '<todos>'.length, end);
}
