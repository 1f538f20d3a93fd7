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
  /** What came to `now` since it was last put together: once a call, not once an entry. */
  let leaf = now.leaf;
  let more: ContextItem[] = [];
  const replace = (by: Context) => {
    now = by;
    leaf = by.leaf;
    more = [];
  };
  for (const entry of appended) {
    if (entry.type === 'leaf') {
      if (entry.target !== leaf) replace(contextOf({ entries, leaf: entry.target }));
      continue;
    }
    if (!nodeTypes.has(entry.type)) continue;
    if (entry.parentId !== leaf || (entry.type === 'epoch' && 'restore' in entry.items)) {
      replace(contextOf({ entries, leaf: entry.id }));
    } else if (entry.type === 'epoch' && 'list' in entry.items) {
      const problems: LogProblem[] = [];
      const items = listed({ entries, epoch: entry, list: entry.items.list, problems });
      replace({ leaf: entry.id, epoch: entry.id, items, problems });
    } else {
      const item = visibleItem(entry);
      if (item) more.push(item);
      leaf = entry.id;
    }
  }
  return leaf === now.leaf ? now : grow({ context: now, leaf, more });
}

/** What a context adds to another; computed when its items are first read. */
const growth = new WeakMap<Context, { readonly base: Context; readonly more: readonly ContextItem[] }>();

/** So many additions may wait; then they are put together, so that a chain of contexts does not stay in memory. */
const maxPending = 1000;
const waiting = new WeakMap<Context, number>();

/**
 * A context with more items at its end. The list is put together when it is first read: a copy for each append would make
 * a long session without compactions quadratic.
 */
function grow({
  context,
  leaf,
  more,
}: {
  readonly context: Context;
  readonly leaf: Context['leaf'];
  readonly more: readonly ContextItem[];
}): Context {
  let items: readonly ContextItem[] | undefined;
  const grown: Context = {
    leaf,
    epoch: context.epoch,
    get items() {
      items ??= together(grown);
      growth.delete(grown);
      return items;
    },
    problems: context.problems,
  };
  growth.set(grown, { base: context, more });
  const length = growth.has(context) ? (waiting.get(context) ?? 0) + 1 : 1;
  waiting.set(grown, length);
  if (length >= maxPending) void grown.items;
  return grown;
}

function together(context: Context): readonly ContextItem[] {
  const added: (readonly ContextItem[])[] = [];
  let at = context;
  for (let step = growth.get(at); step; step = growth.get(at)) {
    added.push(step.more);
    at = step.base;
  }
  return [...at.items, ...added.reverse().flat()];
}
