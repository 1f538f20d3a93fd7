/**
 * The budgets that a file without a server has renders for: steps from nothing to more than everything, the budget itself
 * and the size of the whole among them.
 *
 * @example
 * budgetsFor({ budget: 1000, whole: 4000, most: 49 }); // [0, 88, 175, ..., 1000, ..., 4000, 4200]
 */
export function budgetsFor({
  budget,
  whole,
  most,
}: {
  readonly budget: number;
  readonly whole: number;
  readonly most: number;
}): number[] {
  const top = Math.ceil(Math.max(budget, whole) * 1.05);
  const steps = Math.max(1, most - 3);
  const even = Array.from({ length: steps + 1 }, (_, step) => Math.round((top * step) / steps));
  return [...new Set([...even, budget, whole])].toSorted((a, b) => a - b);
}
