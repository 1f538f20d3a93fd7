/**
 * The log of a session: an append-only tree of entries that survives everything, what is sent at any place of it, and
 * the stores that keep it.
 *
 * @module
 */
export { advance } from './context/advance.ts';
export { type Context, contextOf, emptyContext } from './context/context.ts';
export { conversationOf } from './context/conversation.ts';
export { type ContextItem, type SummaryTag, summaryMessage, visibleItem } from './context/item.ts';
export { addCounts, type Counts, countEntry, isToolCall, noCounts } from './counts.ts';
export type * from './entry/entry.ts';
export { nodeTypes } from './entry/entry.ts';
export { createIds, type NextId } from './entry/id.ts';
export { type EntryReading, readEntry, writeEntry } from './entry/schema.ts';
export { codecVersion } from './epoch/codec.ts';
export { type CompactionInput, compactionDrafts } from './epoch/compaction.ts';
export { editDrafts } from './epoch/edit.ts';
export { headLength } from './epoch/head.ts';
export { toEpochItem } from './epoch/items.ts';
export { pruneDrafts } from './epoch/prune.ts';
export { type Action, type History, historyOf, type UndoneAction } from './history/history.ts';
export { createSession, openSession, type SessionTools } from './open-session.ts';
export { type Gist, gistOf } from './recall/gist.ts';
export { formatHandle, type Handle, parseHandle } from './recall/handle.ts';
export { type PartText, partTexts, textsOf } from './recall/part-text.ts';
export { type Recalled, recallFrom } from './recall/recall.ts';
export type * from './session.ts';
export {
  ConflictError,
  DamageError,
  MissingSessionError,
  RejectedAppendError,
  SessionExistsError,
  StoreWriteError,
} from './store/errors.ts';
export { createMemoryStore } from './store/memory.ts';
export { type DoctorReport, openSqliteStore, type Problem, type SessionReport } from './store/sqlite/index.ts';
export type * from './store/store.ts';
export { createLogCheck, type LogCheck } from './tree/check.ts';
export { type Divergence, divergence } from './tree/divergence.ts';
export type { LogProblem } from './tree/problem.ts';
export { createTree, type Tree } from './tree/tree.ts';
export { type Lookup, type Path, pathOf } from './tree/walk.ts';
