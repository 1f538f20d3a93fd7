import type { Io } from '../io/io.ts';
import { configuredServers } from '../mcp/config.ts';
import type { Settings } from '../settings/schema.ts';
import type { TrustItem } from '../trust/trust.ts';

/**
 * Everything in the project that is off until the user trusts it. Each kind has one line here.
 *
 * @example
 * const items = await projectItems({ io, values });
 */
export async function projectItems({
  io,
  values,
}: {
  readonly io: Pick<Io, 'cwd' | 'platform' | 'files'>;
  readonly values: Settings;
}): Promise<readonly TrustItem[]> {
  const { servers } = values.mcp.enabled ? await configuredServers({ io, values }) : { servers: [] };
  return servers.flatMap(({ trust }) => (trust ? [trust] : []));
}
