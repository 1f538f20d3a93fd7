import type { SettingKey } from '../settings/flags.ts';

/** Settings of how a model is asked for a summary. */
export const summaryModelSettings = [
  'compaction.mode',
  'compaction.model',
  'compaction.endpoint.url',
  'compaction.endpoint.keyVariable',
  'compaction.endpoint.timeout',
  'compaction.endpoint.window',
] as const satisfies readonly SettingKey[];

/** Settings of compactions that every command takes that compacts. */
export const compactionSettings = [
  'compaction.preset',
  'compaction.threshold',
  'compaction.reserve',
  'compaction.keepRecent',
  'compaction.summarizer',
  ...summaryModelSettings,
] as const satisfies readonly SettingKey[];
