/**
 * What other modules of this package use of the session log and what is not part of the public API.
 *
 * @module
 */
export { isPlausible } from './entry/plausible.ts';
export { draftProblems } from './entry/schema.ts';
export { pages } from './live/copy.ts';
export { EntryCache } from './live/entry-cache.ts';
export { loadLive } from './live/load.ts';
export { firstSummary, firstWords, summaryAfter } from './store/summary.ts';
