/**
 * Code search over a workspace: an index in one SQLite file, lexical search that is always there, embeddings and remote
 * search where they are given.
 *
 * @module
 */
export { type Listing, listFiles, type WorkspaceFile } from './files.ts';
export type { IndexProgress, IndexReport } from './indexer.ts';
export type { Embedder, RemoteSearch, SearchAnswer, SearchInput, SearchStrategy } from './ladder.ts';
export type { SearchResult } from './results.ts';
export { type CodeIndex, openCodeIndex } from './search.ts';
