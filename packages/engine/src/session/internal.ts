/**
 * What other modules of this package use of the session log and what is not part of the public API.
 *
 * @module
 */

export { summaryMessage } from './context/item.ts';
export { createIds } from './entry/id.ts';
export { isPlausible } from './entry/plausible.ts';
export { draftProblems, readEntry, writeEntry } from './entry/schema.ts';
export { codecVersion, pruneDrafts, toEpochItem } from './epoch/drafts.ts';
export { historyOf } from './history/history.ts';
export { pages } from './live/copy.ts';
export { EntryCache } from './live/entry-cache.ts';
export { loadLive } from './live/load.ts';
export { firstSummary, firstWords, summaryAfter } from './store/summary.ts';
export { pathOf } from './tree/walk.ts';
