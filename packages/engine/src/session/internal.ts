/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `entry`: kinds of entries, their schema, ids; unknown kinds and later versions are kept whole; `legacy-notes.ts`
 *   maps stored names of older versions
 * - `tree`: path, common ancestor; `check.ts` finds what is wrong with a log
 * - `context`: what is sent at a position, and the same incrementally; `epoch`: the batches that change what is sent;
 *   `history`: undo and redo
 * - `recall`: handles and exactly the text they name
 * - `live/writer.ts`: the only writer; waiting appends share one write. `live/entry-cache.ts`: the part of a log in
 *   memory; fetches what a pure function lacked and calls it again
 * - `lease`: one writer per session across processes
 * - `store`: the interface, one test suite for all stores (`suite`), memory, SQLite
 * - `fixtures/oracle.ts`: a second implementation of the context, written from the definition, for property tests
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
export { openDatabase, transaction } from './store/sqlite/database.ts';
export { firstSummary, firstWords, summaryAfter } from './store/summary.ts';
export { pathOf } from './tree/walk.ts';
