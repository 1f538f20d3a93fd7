import type { Thinking } from '../../model.ts';

/** What a budget amounts to for models that take an effort, and the other way round; none of the figures is a provider's. */
const budgets: readonly (readonly [effort: string, tokens: number])[] = [
  ['minimal', 1024],
  ['low', 4096],
  ['medium', 10_000],
  ['high', 24_000],
  ['xhigh', 48_000],
  ['max', 64_000],
];

const ladder = ['none', ...budgets.map(([effort]) => effort)];

/**
 * The effort that is asked for, or the next lower one that the model takes; others are refused. A budget becomes the
 * nearest of the three that every provider has. `off` is the least there is, where that is known.
 *
 * @example
 * effortOf({ thinking: { budgetTokens: 10_000 }, efforts: [] }); // 'medium'
 */
export function effortOf({
  thinking,
  efforts,
}: {
  readonly thinking: Thinking | undefined;
  /** Lowest first; empty if unknown. */
  readonly efforts: readonly string[];
}): string | undefined {
  if (thinking === undefined) return undefined;
  if (thinking === 'off') return efforts[0];
  const asked = 'effort' in thinking ? thinking.effort : nearest(thinking.budgetTokens);
  if (efforts.length === 0 || efforts.includes(asked) || !ladder.includes(asked)) return asked;
  const some = efforts.filter((effort) => effort !== 'none');
  return some.findLast((effort) => ladder.indexOf(effort) < ladder.indexOf(asked)) ?? some[0];
}

function nearest(budget: number): string {
  if (budget < 8000) return 'low';
  return budget < 20_000 ? 'medium' : 'high';
}

/** The requested token budget; an unknown effort counts as medium. */
export function budgetOf(thinking: Thinking | undefined): number | undefined {
  if (thinking === undefined || thinking === 'off') return undefined;
  if ('budgetTokens' in thinking) return thinking.budgetTokens;
  return budgets.find(([effort]) => effort === thinking.effort)?.[1] ?? 10_000;
}
