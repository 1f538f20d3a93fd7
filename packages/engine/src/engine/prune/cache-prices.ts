import type { TargetModel } from '../../models/index.ts';

/** When a provider last read or wrote its cache for a request, if it did. */
export interface CacheActivity {
  readonly at: number;
  readonly isKept: boolean;
}

/** Where the rules of a provider name no lifetime: the shortest that is usual. */
const defaultSeconds = 300;

/** Whether the provider has forgotten a request by now, as far as one can tell. */
export function isForgotten({
  model: { info },
  used,
  now,
}: {
  readonly model: TargetModel;
  readonly used: CacheActivity;
  readonly now: number;
}): boolean {
  const [lifetime] = info.cache.lifetimes ?? [];
  return now - used.at > (lifetime?.seconds ?? defaultSeconds) * 1000;
}

/**
 * What changing sent bytes costs while the provider has them cached; `undefined` where it has not, where it never
 * reported cache use, or where its prices are unknown.
 */
export function cachePrices(of: {
  readonly model: TargetModel;
  readonly used: CacheActivity;
  readonly now: number;
}): Omit<CachePrices, 'growth'> | undefined {
  const { info } = of.model;
  const [lifetime] = info.cache.lifetimes ?? [];
  const { input = 0, cacheRead, cacheWrite } = info.prices ?? {};
  const read = cacheRead !== undefined && input > 0 ? cacheRead / input : info.cache.readFactor;
  if (info.cache.how === 'none' || read === undefined || !of.used.isKept || isForgotten(of)) return undefined;
  const write = cacheWrite !== undefined && input > 0 ? cacheWrite / input : (lifetime?.writeFactor ?? 1);
  return { read, write };
}

/** What it costs to read tokens from the cache and to write them into it, in parts of the price of input. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  /** What a request adds, in tokens: what goes makes room for so many more of them. */
  readonly growth: number;
}

/**
 * Whether eliding something is cheaper than sending it on: what goes is no longer read from the cache in each request to
 * come, and what follows the first change is written to the cache again. Eliding 8,000 tokens at the cost of 137,000
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
