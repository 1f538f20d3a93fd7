import { createPolicy, type Policy, presets, withEnvironment } from 'longhaul/engine';
import type { ProcessEnvironment } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** Milliseconds. */
const spare = 30_000;

/** The largest share of the window that a configured reserve may take. */
const largestReserve = 0.5;

/**
 * The policy of the settings, the same for every command: a preset with the configured changes. Copilot CLI's own
 * environment variables apply only to the preset that imitates it.
 *
 * @example
 * const engine = await createEngine({ store, policy: policyOf({ values, env: io.env }) });
 */
export function policyOf({
  values: { compaction },
  env,
}: {
  readonly values: Pick<Settings, 'compaction'>;
  readonly env: ProcessEnvironment;
}): Policy {
  const { preset, automatic, threshold, reserve, keepRecent, autoContinue, branchSummaries, mode } = compaction;
  const base = preset === 'cli' ? withEnvironment({ policy: presets.cli, env }) : presets[preset];
  // The summarizer's own deadline must be shorter, so that its report on failed attempts is not lost.
  const timeout = asksModel(compaction)
    ? Math.max(base.summarize.timeout, compaction.endpoint.timeout * 1000 + spare)
    : base.summarize.timeout;
  return createPolicy({
    base,
    when: {
      automatic,
      ...(threshold !== undefined && { threshold }),
      ...(reserve !== undefined && { reserve: { tokens: reserve, share: largestReserve } }),
      ...(autoContinue !== undefined && { autoContinue }),
    },
    ...(keepRecent !== undefined && { keep: { tokens: keepRecent } }),
    summarize: {
      timeout,
      ...(branchSummaries !== 'preset' && { branches: branchSummaries !== 'off' }),
      ...(mode !== 'preset' && { mode }),
    },
  });
}

/** Whether the settings configure or request a model for summaries. */
export function asksModel({ summarizer, model, endpoint, candidates }: Settings['compaction']): boolean {
  if (summarizer !== 'auto') return summarizer === 'model';
  return model.trim() !== '' || endpoint.url.trim() !== '' || candidates.length > 0;
}
