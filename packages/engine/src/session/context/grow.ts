import type { Context } from './context.ts';
import type { ContextItem } from './item.ts';

/** What a context adds to another, while nobody has asked for its items. */
const growth = new WeakMap<Context, { readonly base: Context; readonly more: readonly ContextItem[] }>();

/** So many additions may wait; then they are put together, so that a chain of contexts does not stay in memory. */
const patience = 1000;
const waiting = new WeakMap<Context, number>();

/**
 * A context with more items at its end. The list is put together when it is first read: a copy for each append would make
 * a long session without compactions quadratic.
 */
export function grow({
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
  if (length >= patience) void grown.items;
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
