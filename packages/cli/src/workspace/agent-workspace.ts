import { realpathSync } from 'node:fs';
import { workspaceTree } from '@longhaul/workspace/tree';
import type { OutlineFile, SearchCode } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import type { Settings } from '../settings/schema.ts';
import { type OpenIndex, openIndex } from './code-index.ts';

/** Workspace features of an agent. */
export interface AgentWorkspace {
  readonly searchCode: SearchCode | undefined;
  readonly outline: OutlineFile | undefined;
  readonly tree: string | undefined;
}

const treeTag = 'The files of this folder when the session began, nearest to the top first:\n\n';

/**
 * Code search, outlines and the file tree of an agent, according to the settings. The index is opened by the first search and
 * follows changes of files from then on; missing vectors are filled in meanwhile.
 *
 * @example
 * const { searchCode, outline, tree } = await agentWorkspace({ cwd, folder, values, session });
 */
export async function agentWorkspace(of: {
  readonly cwd: string;
  /** Where indexes are kept; without it there is no search. */
  readonly folder: string | undefined;
  readonly values: Settings;
  readonly session: EngineSession;
}): Promise<AgentWorkspace> {
  const { cwd, folder, values, session } = of;
  const { search, readOutline, tree } = values.workspace;
  return {
    searchCode: search && folder !== undefined ? searcher({ cwd, folder, values }) : undefined,
    outline: readOutline ? outlineFile : undefined,
    tree: tree ? await treeFor({ cwd, session }) : undefined,
  };
}

function searcher(of: { readonly cwd: string; readonly folder: string; readonly values: Settings }): SearchCode {
  const { cwd, folder, values } = of;
  let opening: Promise<OpenIndex> | undefined;
  const open = async (): Promise<OpenIndex> => {
    const opened = await openIndex({ root: realpathSync(cwd), folder, values, fillsVectors: true });
    await opened.index.refresh();
    await opened.index.watch();
    return opened;
  };
  return {
    async search({ query, limit, budget, accept, signal }) {
      opening ??= open();
      // A failure to open is reported once; the next search tries again.
      opening.catch(() => {
        opening = undefined;
      });
      const { index } = await opening;
      const { results } = await index.search({ query, limit, budget, accept, signal });
      const texts = await index.texts(results);
      return results.map((result, at) => ({ ...result, text: texts[at] ?? '' }));
    },
    async close() {
      const opened = await opening?.catch(() => undefined);
      // A sub-agent that ends closes its tools; the next search opens the index again.
      opening = undefined;
      await opened?.close();
    },
  };
}

const outlineFile: OutlineFile = async ({ path, text, around, characters }) => {
  const { outlineLines } = await import('@longhaul/workspace/outline');
  return await outlineLines({ path, text, around, characters });
};

/** The head of a session stays the same: one that has begun keeps the tree that it began with. */
async function treeFor({ cwd, session }: { readonly cwd: string; readonly session: EngineSession }) {
  const { leaf } = session.session.head;
  if (leaf !== null) {
    const { items } = await session.session.contextAt({ leaf });
    for (const { message } of items) {
      if (message.role !== 'system') return undefined;
      const part = message.parts[0];
      if (part?.type === 'text' && part.text.startsWith(treeTag)) return part.text;
    }
    return undefined;
  }
  const tree = workspaceTree({ root: realpathSync(cwd) });
  return tree === '' ? undefined : `${treeTag}${tree}`;
}
