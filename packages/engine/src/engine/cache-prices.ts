import type { TargetModel } from '../models/index.ts';
import type { CachePrices } from './prune/pays-off.ts';

/** When a provider last read or wrote its cache for a request, if it did. */
export interface CacheUse {
  readonly at: number;
  readonly isKept: boolean;
}

/** Where the rules of a provider name no lifetime: the shortest that is usual. */
const usualSeconds = 300;

/** Whether the provider has forgotten a request by now, as far as one can tell. */
export function isForgotten({
  model: { info },
  used,
  now,
}: {
  readonly model: TargetModel;
  readonly used: CacheUse;
  readonly now: number;
}): boolean {
  const [lifetime] = info.cache.lifetimes ?? [];
  return now - used.at > (lifetime?.seconds ?? usualSeconds) * 1000;
}

/**
 * What it costs to change what was sent, where the provider still holds it; nothing where it does not, where it never
 * said that it does, or where nobody knows its prices.
 */
export function cachePrices(of: {
  readonly model: TargetModel;
  readonly used: CacheUse;
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
