/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `model.ts`, `usage.ts`: the contract; what a call consumed, in one shape for all providers
 * - `failure`: error texts -> kinds (`rows-*.ts`), delays, masking; opens no connection
 * - `catalog`, `data`: models as data; quirks by name, never a model name in code
 * - `clients`: a name and an environment -> a model. `dialects` make the JSON and decode the events, `transport` sends
 *   the bytes unchanged
 *   (SDKs get the body as text and return the raw response), `client.ts` combines them, `retry.ts` is the only place
 *   that sends a request twice
 * - `wire`: limits of every call, and the fetch that enforces them and refuses redirects to other origins
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
