import type { Session } from '../../session/index.ts';
import type { CachePrices } from '../tool-output/pays-off.ts';
import type { TargetModel } from './scale.ts';

/** Where the rules of a provider name no lifetime: the shortest that is usual. */
const usualSeconds = 300;

/**
 * What it costs to change what was sent, where the provider still holds it; nothing where it does not, where it never
 * said that it does, or where nobody knows its prices.
 */
export async function warmCache({
  session,
  model: { id, info },
  now,
}: {
  readonly session: Session;
  readonly model: TargetModel;
  readonly now: number;
}): Promise<Omit<CachePrices, 'growth'> | undefined> {
  const [lifetime] = info.cache.lifetimes ?? [];
  const { input = 0, cacheRead, cacheWrite } = info.prices ?? {};
  const read = cacheRead !== undefined && input > 0 ? cacheRead / input : info.cache.readFactor;
  if (info.cache.how === 'none' || read === undefined) return undefined;
  const entries = await session.read({ epoch: session.context.epoch });
  const used = entries.findLast((entry) => entry.type === 'usage' && entry.model?.name === id.name);
  if (used?.type !== 'usage' || used.usage.cacheRead + used.usage.cacheWrite === 0) return undefined;
  if (now - used.at > (lifetime?.seconds ?? usualSeconds) * 1000) return undefined;
  const write = cacheWrite !== undefined && input > 0 ? cacheWrite / input : (lifetime?.writeFactor ?? 1);
  return { read, write };
}
