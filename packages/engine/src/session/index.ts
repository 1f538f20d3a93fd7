/**
 * The log of a session: an append-only tree of entries that survives everything, what is sent at any place of it, and
 * the stores that keep it.
 *
 * @module
 */

export { type Context, contextOf } from './context/context.ts';
export { conversationOf, headLength } from './context/conversation.ts';
export { type ContextItem, type SummaryTag, visibleItem } from './context/item.ts';
export { addCounts, countEntry, type EntryCounts, isToolCall, noCounts } from './counts.ts';
export type * from './entry/entry.ts';
export { nodeTypes } from './entry/entry.ts';
export type { NextId } from './entry/id.ts';
export { upgradeEntry } from './entry/legacy-notes.ts';
export type { EntryReading } from './entry/schema.ts';

export type { CompactionInput } from './epoch/compaction.ts';

export type { UndoableAction, UndoHistory, UndoneAction } from './history/history.ts';
export { holderText, SessionInUseError } from './lease/errors.ts';
export type { LeaseHolder } from './lease/lease.ts';
export { type LeasedStore, leasedStore } from './lease/leased-store.ts';
export { createSession, openSession, type SessionTools } from './live/live-session.ts';
export { type Gist, gistOf } from './recall/gist.ts';
export { formatHandle, type Handle, parseHandle } from './recall/handle.ts';
export { type PartText, partTexts, textsOf } from './recall/part-text.ts';
export type { Recalled } from './recall/recall.ts';
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
export { type DoctorProblem, type DoctorReport, openSqliteStore, type SessionReport } from './store/sqlite/index.ts';
export type * from './store/store.ts';
export type { LogCheck } from './tree/check.ts';
export type { Divergence } from './tree/divergence.ts';
export type { LogProblem } from './tree/problem.ts';
export type { EntryTree } from './tree/tree.ts';
export type { Lookup, Path } from './tree/walk.ts';
