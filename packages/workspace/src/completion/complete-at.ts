import { assemble, type CompletionContext } from './assemble.ts';
import type { CompletionMode } from './budget.ts';
import { gatherContext } from './gather.ts';
import { openWorkspaceFiles } from './workspace-files.ts';

/**
 * The whole context at a cursor, however long it takes: for commands and tests. An editor uses `createCompletionEditor`.
 *
 * @example
 * await completionContext({ root: process.cwd(), path: 'src/a.ts', text, offset: 120 });
 */
export async function completionContext(of: {
  readonly root: string;
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  readonly mode?: CompletionMode;
  /** Of a request with its answer; 8,192 by default. */
  readonly tokens?: number;
  /** Files that were looked at lately, from the root, the last one first. */
  readonly neighbors?: readonly string[];
}): Promise<CompletionContext> {
  const { root, path, text, offset, mode = 'double', tokens, neighbors = [] } = of;
  const place = { path, text, offset };
  const { items } = await gatherContext({ place, neighbors, files: openWorkspaceFiles({ root }) });
  return assemble({ place, items, mode, ...(tokens !== undefined && { tokens }) });
}
