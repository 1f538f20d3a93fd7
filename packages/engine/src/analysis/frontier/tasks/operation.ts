import type { TaskStatus } from '../frontier.ts';

/** A task as a tool or a file names it. */
export interface TaskItem {
  readonly id?: string;
  /** Absent where only the status is told. */
  readonly text?: string;
  /** Absent where it is not told: a known task keeps its own, a new one is open. */
  readonly status?: TaskStatus;
}

/** What an event says about a list of tasks. It is plain data, so that it can wait for the result of its call. */
export type TaskOperation =
  /** The list is now this. */
  | { readonly op: 'list'; readonly list: string; readonly items: readonly TaskItem[] }
  /** These items were written where those stood. */
  | {
      readonly op: 'swap';
      readonly list: string;
      readonly removed: readonly TaskItem[];
      readonly added: readonly TaskItem[];
    }
  /** These items of the list are now so; what is not in it is added. */
  | { readonly op: 'set'; readonly list: string; readonly items: readonly TaskItem[] }
  /** Every item of the list that is named or has this status is now so. */
  | {
      readonly op: 'mark';
      readonly list: string;
      readonly ids?: readonly string[];
      readonly from?: TaskStatus;
      readonly status: TaskStatus;
    }
  /** One more item; the result says what it is called. */
  | { readonly op: 'create'; readonly list: string; readonly item: TaskItem }
  | { readonly op: 'toggle'; readonly list: string; readonly id: string }
  /** A sight of the list, told again: it can finish and add, but reopens nothing. */
  | { readonly op: 'observe'; readonly list: string; readonly items: readonly TaskItem[] };

/** Longer lists are templates or generated, not plans. */
export const longestList = 100;

const longestText = 240;

/** One line of a task, bounded. */
export function taskText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= longestText) return line;
  const cut = line.slice(0, longestText - 2);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)} …`;
}
