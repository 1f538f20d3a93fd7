/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `message.ts`: the types that everything is built on; `create.ts`: helpers for common messages
 * - `codecs/DIALECT`: decode and encode, one folder per dialect; what a dialect leaves out is `codecs/sent.ts`
 * - `document.ts`: a JSON document (list or request body) in and out; detects the dialect
 * - `same-item.ts`: equality of two wire items; `semantic-key.ts`: what survives when a client rebuilds its history
 * - `validity`: provider rules as data with the wording of the rejection, `check`, and `repair`, which runs until
 *   nothing is left to repair
 *
 * Code that changes a part's content drops its `wire`; a new provider member therefore needs no change until it is
 * interpreted.
 *
 * @module
 */
export { chooseBreakpoints } from './breakpoints.ts';
export { argumentsOf, reminderText } from './codecs/parts.ts';
export { isSent } from './codecs/sent.ts';
export { isPrompt } from './human.ts';
export {
  hidesBefore,
  isProviderCompaction,
  withNewestCompaction,
  withoutProviderCompaction,
} from './provider-compaction.ts';
export { repairSoFar } from './validity/repair-so-far.ts';
