import { type Policy, presets, withEnvironment } from 'longhaul/compaction';
import type { Environment } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** Milliseconds. */
const spare = 30_000;

/**
 * The policy of the settings in force: a preset, with what was set of it. Copilot CLI's own variables hold for the preset
 * that follows it, and for no other: they may be meant for that program alone.
 *
 * @example
 * const engine = await createEngine({ store, policy: policyOf({ values, env: io.env }) });
 */
export function policyOf({
  values: { compaction },
  env,
}: {
  readonly values: Pick<Settings, 'compaction'>;
  readonly env: Environment;
}): Policy {
  const { preset, automatic, threshold, summarizer, endpoint } = compaction;
  const base = preset === 'cli' ? withEnvironment({ policy: presets.cli, env }) : presets[preset];
  // Whoever writes summaries ends first, so that what it has to tell of its attempts is not lost.
  const longest = summarizer === 'model' ? Math.max(base.longest, endpoint.timeout * 1000 + spare) : base.longest;
  return { ...base, automatic, longest, ...(threshold !== undefined && { threshold }) };
}
