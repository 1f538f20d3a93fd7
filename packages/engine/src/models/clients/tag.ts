import type { ModelOptions } from '../model.ts';

/**
 * Calls that are not the user's own turn say so in a header, under the name that Copilot CLI uses: gateways and logs
 * look for `conversation-compaction` (sessions.md 11.5).
 *
 * @example
 * tagOf({ purpose: 'conversation-compaction' }); // { 'x-interaction-type': 'conversation-compaction' }
 */
export function tagOf({ purpose }: ModelOptions): Readonly<Record<string, string>> {
  if (purpose === undefined || purpose === 'conversation') return {};
  const tag = purpose.replace(/[^\w.:/-]+/g, '-').slice(0, 64);
  return { 'x-interaction-type': tag };
}
