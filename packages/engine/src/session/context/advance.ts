import { type Entry, nodeTypes } from '../entry/entry.ts';
import type { LogProblem } from '../tree/problem.ts';
import type { Lookup } from '../tree/walk.ts';
import { type Context, contextOf, listed } from './context.ts';
import { type ContextItem, visibleItem } from './item.ts';

/**
 * The context after more entries were appended, in constant work for each that only adds to it; equal to `contextOf` at
 * the new leaf. `lookup` must find the appended entries too.
 *
 * @example
 * context = advance({ context, appended: [entry], entries });
 */
export function advance({
  context,
  appended,
  entries,
}: {
  readonly context: Context;
  readonly appended: readonly Entry[];
  readonly entries: Lookup;
}): Context {
  let now = context;
  /** Items of `now` that were not copied yet: one copy a call, not one an entry. */
  let more: ContextItem[] = [];
  const settle = (): Context => {
    if (more.length > 0) now = { ...now, items: [...now.items, ...more] };
    more = [];
    return now;
  };
  for (const entry of appended) {
    if (entry.type === 'leaf') {
      if (entry.target !== now.leaf) {
        more = [];
        now = contextOf({ entries, leaf: entry.target });
      }
    } else if (!nodeTypes.has(entry.type)) {
    } else if (entry.parentId !== now.leaf || (entry.type === 'epoch' && 'restore' in entry.items)) {
      more = [];
      now = contextOf({ entries, leaf: entry.id });
    } else if (entry.type === 'epoch' && 'list' in entry.items) {
      more = [];
      const problems: LogProblem[] = [];
      const items = listed({ entries, epoch: entry, list: entry.items.list, problems });
      now = { leaf: entry.id, epoch: entry.id, items, problems };
    } else {
      const item = visibleItem(entry);
      if (item) more.push(item);
      now = { ...now, leaf: entry.id };
    }
  }
  return settle();
}
