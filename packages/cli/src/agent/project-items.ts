import type { Io } from '../io/io.ts';
import { configuredServers } from '../mcp/config.ts';
import type { Settings } from '../settings/schema.ts';
import { askForTrust, type FolderTrust, readTrust, type TrustItem } from '../trust/trust.ts';
import { customItems } from './customizations.ts';

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
  readonly io: Pick<Io, 'cwd' | 'env' | 'home' | 'platform' | 'files'>;
  readonly values: Settings;
}): Promise<readonly TrustItem[]> {
  const { servers } = values.mcp.enabled ? await configuredServers({ io, values }) : { servers: [] };
  return [...servers.flatMap(({ trust }) => (trust ? [trust] : [])), ...(await customItems({ io, values }))];
}

/**
 * What the user trusts in the project, after a question about what is new.
 *
 * @example
 * const trust = await trustInProject({ io, values, isAsking: io.stdinIsTerminal && !json });
 */
export async function trustInProject({
  io,
  values,
  isAsking,
}: {
  readonly io: Parameters<typeof readTrust>[0]['io'] & Pick<Io, 'ask'>;
  readonly values: Settings;
  /** Whether the user can be asked. */
  readonly isAsking: boolean;
}): Promise<FolderTrust> {
  const trust = await readTrust({ io });
  await askForTrust({ io, trust, items: await projectItems({ io, values }), isAsking });
  return trust;
}
