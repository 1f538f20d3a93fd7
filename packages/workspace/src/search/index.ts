/**
 * Code search over a workspace: an index in one SQLite file, lexical search that is always there, embeddings and remote
 * search where they are given.
 *
 * @module
 */
export { listFiles, type WorkspaceFile } from './files.ts';
export type { IndexProgress, IndexReport } from './indexer.ts';
export {
  type CodeIndex,
  type Embedder,
  openCodeIndex,
  type RemoteSearch,
  type SearchAnswer,
  type SearchInput,
  type SearchResult,
  type SearchStrategy,
} from './search.ts';
