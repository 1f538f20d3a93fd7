/** What it costs to read tokens from the cache and to write them into it, in parts of the price of input. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  /** What a request adds, in tokens: what goes makes room for so many more of them. */
  readonly growth: number;
}

/**
 * Whether eliding something is cheaper than sending it on: what goes is no longer read from the cache in each request to
 * come, and what stands after the first change is written into it once more. Eliding 8,000 tokens at the cost of 137,000
 * read anew is not (stella#4381).
 *
 * @example
 * paysOff({ freed: 60_000, rewritten: 40_000, cache: { read: 0.1, write: 1.25, growth: 1_500 } }); // true
 */
export function paysOff({
  freed,
  rewritten,
  cache: { read, write, growth },
}: {
  readonly freed: number;
  readonly rewritten: number;
  readonly cache: CachePrices;
}): boolean {
  const turns = freed / Math.max(1, growth);
  return freed * read * turns >= rewritten * Math.max(0, write - read);
}
