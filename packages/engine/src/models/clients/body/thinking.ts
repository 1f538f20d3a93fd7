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

/**
 * The effort that is asked for; a budget becomes the nearest of the three that every provider has.
 *
 * @example
 * effortOf({ budgetTokens: 10_000 }); // 'medium'
 */
export function effortOf(thinking: Thinking | undefined): string | undefined {
  if (thinking === undefined || thinking === 'off') return undefined;
  if ('effort' in thinking) return thinking.effort;
  if (thinking.budgetTokens < 8000) return 'low';
  return thinking.budgetTokens < 20_000 ? 'medium' : 'high';
}

/** The tokens that are asked for; an effort nobody knows counts as medium. */
export function budgetOf(thinking: Thinking | undefined): number | undefined {
  if (thinking === undefined || thinking === 'off') return undefined;
  if ('budgetTokens' in thinking) return thinking.budgetTokens;
  return budgets.find(([effort]) => effort === thinking.effort)?.[1] ?? 10_000;
}
