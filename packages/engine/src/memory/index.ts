/**
 * Memory across sessions: a bounded board of facts per repository, what consolidation makes of finished sessions, and the
 * inbox of a new one.
 *
 * @module
 */
export {
  addToBoard,
  type BoardChange,
  type BoardLimits,
  type BoardState,
  type Contradiction,
  editEntry,
  foldBranches,
  removeEntry,
  voteFor,
} from './board.ts';
export type { AgentNote } from './candidates.ts';
export { consolidate, type FinishedSession } from './consolidate.ts';
export {
  type MemoryAuthor,
  type MemoryAuthority,
  type MemoryCandidate,
  type MemoryEntry,
  type MemoryEvidence,
  type MemoryKind,
  memoryKinds,
} from './entry.ts';
export { chooseInbox, type Inbox, type InboxWeights, isInboxText } from './inbox.ts';
export { readBoard, writeBoard } from './markdown.ts';
export { addNote, pruneNote } from './notes.ts';
export { type ImportedMemory, importMemory } from './other-agents.ts';
export { branchOfSession, mergedBranches, type Repository, repositoryOf, staleCheck } from './repository.ts';
export { type Memory, type MemorySession, openMemory } from './store.ts';
