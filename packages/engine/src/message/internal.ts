/**
 * Exports for the other modules of this package; not part of the public API.
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
