/**
 * The contract of a model, its failures as values, and what is known of models: windows, prices, cache rules, quirks.
 *
 * @module
 */
export { withBreakpoints } from './breakpoints.ts';
export { builtinProviders } from './catalog/builtin.ts';
export { cost } from './catalog/cost.ts';
export type * from './catalog/entry.ts';
export { type ModelInfo, modelInfo } from './catalog/info.ts';
export { type QuirkName, quirks } from './catalog/quirks.ts';
export { modelDataJsonSchema, modelDataSchema, modelEntrySchema } from './catalog/schema.ts';
export { type TokenFamily, tokenFamilies, tokenFamilyOf } from './catalog/token-family.ts';
export { effortOf } from './clients/body/thinking.ts';
export { answerOf } from './clients/decode/answer.ts';
export { tagOf } from './clients/tag.ts';
export { type Answer, collect } from './collect.ts';
export { isAbort } from './failure/abort.ts';
export { brokenEnd } from './failure/broken-end.ts';
export { classifyFailure, type FailureInput } from './failure/classify.ts';
export type { FailureKind, ModelFailure } from './failure/failure.ts';
export { maskKeys } from './failure/mask.ts';
export type { HeaderSource } from './failure/report.ts';
export { type RetryPolicy, retryDelay } from './failure/retry.ts';
export type { FailureRow } from './failure/row.ts';
export { silentOverflow } from './failure/silent.ts';
export { failureTable } from './failure/table.ts';
export type { WireFaultCode } from './failure/wire-fault.ts';
export type * from './model.ts';
export {
  askForCompaction,
  type CompactingInfo,
  type CompactionSignal,
  readCompactionSignals,
  readsOnlyFrom,
  signedBy,
  withReadableCompaction,
} from './provider-compaction.ts';
export { promptTokens, readUsage, type Usage } from './usage.ts';
export { boundedFetch } from './wire/bounded-fetch.ts';
export { type WireLimits, wireLimits } from './wire/limits.ts';
