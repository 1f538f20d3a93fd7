/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { withBreakpoints } from './breakpoints.ts';
export { effortOf } from './clients/body/thinking.ts';
export { answerOf } from './clients/decode/answer.ts';
export { tagOf } from './clients/tag.ts';
export { isAbort } from './failure/abort.ts';
export { brokenEnd } from './failure/broken-end.ts';
export { maskKeys } from './failure/mask.ts';
export { silentOverflow } from './failure/silent.ts';
export { readsOnlyFrom } from './provider-compaction.ts';
export { readUsage } from './usage.ts';
