import type { TaskStatus } from '../frontier.ts';

/** A task as given by a tool or a file. */
export interface TaskItem {
  readonly id?: string;
  /** Absent if only the status is given. */
  readonly text?: string;
  /** If absent, a known task keeps its status and a new one is open. */
  readonly status?: TaskStatus;
}

/** A change of a task list. Plain data, stored until the result of its call arrives. */
export type TaskOperation =
  /** Replaces the whole list. */
  | { readonly op: 'list'; readonly list: string; readonly items: readonly TaskItem[] }
  /** Replaces some items by others. */
  | {
      readonly op: 'swap';
      readonly list: string;
      readonly removed: readonly TaskItem[];
      readonly added: readonly TaskItem[];
    }
  /** Updates these items; unknown ones are added. */
  | { readonly op: 'set'; readonly list: string; readonly items: readonly TaskItem[] }
  /** Sets the status of the items with these ids or this status. */
  | {
      readonly op: 'mark';
      readonly list: string;
      readonly ids?: readonly string[];
      readonly from?: TaskStatus;
      readonly status: TaskStatus;
    }
  /** Adds an item; its id is in the result. */
  | { readonly op: 'create'; readonly list: string; readonly item: TaskItem }
  | { readonly op: 'toggle'; readonly list: string; readonly id: string }
  /** An observed list: may finish and add items, but reopens none. */
  | { readonly op: 'observe'; readonly list: string; readonly items: readonly TaskItem[] };

/** Longer lists are templates or generated, not plans. */
export const longestList = 100;

const maxText = 240;

/** The text of a task as one bounded line. */
export function taskText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxText) return line;
  const cut = line.slice(0, maxText - 2);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)} …`;
}
