/**
 * The contract of a model, its failures as values, and what is known of models: windows, prices, cache rules, quirks.
 *
 * @module
 */

export { cost } from './catalog/cost.ts';
export type * from './catalog/entry.ts';
export { type ModelInfo, modelInfo } from './catalog/info.ts';
export type { QuirkName } from './catalog/quirks.ts';

export { type TokenFamily, tokenFamilies, tokenFamilyOf } from './catalog/token-family.ts';

export { type CollectedAnswer, collect } from './collect.ts';

export { classifyFailure, type FailureInput } from './failure/classify.ts';
export type { FailureKind, ModelFailure } from './failure/failure.ts';

export type { HeaderSource } from './failure/report.ts';
export { type RetryEvent, type RetryPolicy, retryDelay } from './failure/retry.ts';
export type { FailureRow } from './failure/row.ts';

export type { WireFaultCode } from './failure/wire-fault.ts';
export type * from './model.ts';
export { type CompactingInfo, readCompactionSignals } from './provider-compaction.ts';
export { promptTokens, readUsage, type Usage } from './usage.ts';
export { boundedFetch } from './wire/bounded-fetch.ts';
export { type WireLimits, wireLimits } from './wire/limits.ts';
