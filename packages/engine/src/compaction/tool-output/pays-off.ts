/** What it costs to read tokens from the cache and to write them into it, in parts of the price of input. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  /** Requests that are still to come before the next compaction, as far as one can tell. */
  readonly turns: number;
}

/**
 * Whether eliding something is cheaper than sending it on: what goes is no longer read from the cache in each request to
 * come, and what stands after the first change is written into it once more. Eliding 8,000 tokens at the cost of 137,000
 * read anew is not (stella#4381).
 *
 * @example
 * paysOff({ freed: 60_000, rewritten: 40_000, cache: { read: 0.1, write: 1.25, turns: 20 } }); // true
 */
export function paysOff({
  freed,
  rewritten,
  cache: { read, write, turns },
}: {
  readonly freed: number;
  readonly rewritten: number;
  readonly cache: CachePrices;
}): boolean {
  return freed * read * turns >= rewritten * Math.max(0, write - read);
}
