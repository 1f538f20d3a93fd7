import { badShare } from '../errors.ts';
import type { Policy } from './policy.ts';
import { createPolicy } from './presets.ts';

/**
 * A policy with settings of the environment applied: Copilot CLI's two variables, shares in (0, 1], for policies with a
 * background summary and blocking.
 *
 * @example
 * const policy = withEnvironment({ policy: presets.cli, env: process.env });
 */
export function withEnvironment({
  policy,
  env,
}: {
  readonly policy: Policy;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Policy {
  if (policy.imitates?.block === undefined) return policy;
  const start = shareIn({ env, name: 'COPILOT_BACKGROUND_COMPACTION_THRESHOLD' });
  const block = shareIn({ env, name: 'COPILOT_BUFFER_EXHAUSTION_THRESHOLD' });
  return createPolicy({
    base: policy,
    ...(start !== undefined &&
      policy.when.start && { when: { start: { warm: [start, start], cold: [start, start] } as const } }),
    ...(block !== undefined && { imitates: { block } }),
  });
}

function shareIn(of: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly name: string;
}): number | undefined {
  const text = of.env[of.name]?.trim();
  if (text === undefined || text === '') return undefined;
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw badShare({ name: of.name, value: text });
}
