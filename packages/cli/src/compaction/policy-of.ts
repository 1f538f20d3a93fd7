import { type Policy, presets, withEnvironment } from 'longhaul/engine';
import type { Environment } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** Milliseconds. */
const spare = 30_000;

/** Of the window: a reserve that was set takes at most this. */
const largestReserve = 0.5;

/**
 * The policy of the settings in force, the same for every command: a preset, with what was set of it. Copilot CLI's own
 * variables hold for the preset that follows it, and for no other: they may be meant for that program alone.
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
  const { preset, automatic, threshold, reserve, keepRecent, autoContinue, branchSummaries, mode } = compaction;
  const base = preset === 'cli' ? withEnvironment({ policy: presets.cli, env }) : presets[preset];
  // The summarizer's own deadline comes first, so that what it reports of its attempts is not lost.
  const longest = asksModel(compaction)
    ? Math.max(base.longest, compaction.endpoint.timeout * 1000 + spare)
    : base.longest;
  return {
    ...base,
    automatic,
    longest,
    ...(threshold !== undefined && { threshold }),
    ...(reserve !== undefined && { reserve: { tokens: reserve, share: largestReserve } }),
    ...(keepRecent !== undefined && { keep: { tokens: keepRecent } }),
    ...(autoContinue !== undefined && { autoContinue }),
    ...(branchSummaries !== 'preset' && { branchSummaries: branchSummaries !== 'off' }),
    ...(mode !== 'preset' && { mode }),
  };
}

/** Whether the settings name a model or an endpoint for summaries, or ask for one. */
export function asksModel({ summarizer, model, endpoint, candidates }: Settings['compaction']): boolean {
  if (summarizer !== 'auto') return summarizer === 'model';
  return model.trim() !== '' || endpoint.url.trim() !== '' || candidates.length > 0;
}
