/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { withBreakpoints } from './breakpoints.ts';
export { answerOf } from './clients/dialects/decoder.ts';
export { tagOf } from './clients/dialects/request-body.ts';
export { effortOf } from './clients/dialects/thinking.ts';
export { brokenEnd } from './collect.ts';
export { isAbort } from './failure/abort.ts';
export { maskKeys } from './failure/mask.ts';
export { defaultRetryPolicy, retryAttempts } from './failure/retry.ts';
export { readsOnlyFrom } from './provider-compaction.ts';
export { silentOverflow } from './silent-overflow.ts';
export { readUsage } from './usage.ts';
