import type { SettingKey } from '../settings/flags.ts';

/** Settings for summarizing models. */
export const summaryModelSettings = [
  'compaction.mode',
  'compaction.model',
  'compaction.endpoint.url',
  'compaction.endpoint.keyVariable',
  'compaction.endpoint.timeout',
  'compaction.endpoint.window',
] as const satisfies readonly SettingKey[];

/** Settings that every compacting command accepts. */
export const compactionSettings = [
  'compaction.preset',
  'compaction.threshold',
  'compaction.reserve',
  'compaction.keepRecent',
  'compaction.summarizer',
  ...summaryModelSettings,
] as const satisfies readonly SettingKey[];
