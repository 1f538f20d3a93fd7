import { promptTokens, type Usage } from '../usage.ts';
import type { Rates } from './entry.ts';
import type { ModelInfo } from './info.ts';

/**
 * What a call cost, in dollars; `undefined` where the prices are not known. A price that only the cache rules tell
 * (reading at a tenth of the input price) is taken from there; without any, cached tokens cost what others do.
 *
 * @example
 * cost({ usage: { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }, info: modelInfo({ name: 'claude-opus-5' }) }); // 5
 */
export function cost({
  usage,
  info,
}: {
  readonly usage: Usage;
  readonly info: Pick<ModelInfo, 'prices' | 'cache'>;
}): number | undefined {
  if (info.prices === undefined) return undefined;
  const { tiers = [], ...base } = info.prices;
  const size = promptTokens(usage);
  const applying = tiers.filter((tier) => size > tier.above).toSorted((a, b) => b.above - a.above);
  const rates: Rates = applying[0] ?? base;
  const [short, long] = info.cache.lifetimes ?? [];
  const read = rates.cacheRead ?? rates.input * (info.cache.readFactor ?? 1);
  const write = rates.cacheWrite ?? rates.input * (short?.writeFactor ?? 1);
  const writeLong = rates.cacheWriteLong ?? (long?.writeFactor === undefined ? write : rates.input * long.writeFactor);
  const kept = Math.min(usage.cacheWriteLong ?? 0, usage.cacheWrite);
  const sum =
    usage.input * rates.input +
    usage.output * rates.output +
    usage.cacheRead * read +
    (usage.cacheWrite - kept) * write +
    kept * writeLong;
  const separate = usage.providerCompaction ? (cost({ usage: usage.providerCompaction, info }) ?? 0) : 0;
  return sum / 1_000_000 + separate;
}
