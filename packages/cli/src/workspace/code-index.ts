import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CodeIndex, Embedder } from '@longhaul/workspace/search';
import type { Settings } from '../settings/schema.ts';
import { storeDir } from '../store/store-dir.ts';

/** The folder of the store with the code indexes. They can be deleted at any time. */
export function indexFolderOf(of: Parameters<typeof storeDir>[0]): string {
  return join(storeDir(of), 'code-index');
}

/** An index with what has to be closed with it. */
export interface OpenIndex {
  readonly index: CodeIndex;
  readonly close: () => Promise<void>;
}

/**
 * Opens the code index of a folder, with embeddings where `@longhaul/embeddings` is installed and settings allow them.
 *
 * @example
 * const { index, close } = await openIndex({ root, folder: join(store, 'code-index'), values });
 */
export async function openIndex(of: {
  /** Absolute and real. */
  readonly root: string;
  /** Where indexes are kept. */
  readonly folder: string;
  readonly values: Pick<Settings, 'workspace'>;
  readonly fillsVectors?: boolean;
}): Promise<OpenIndex> {
  const { root, folder, values, fillsVectors = false } = of;
  const { openCodeIndex } = await import('@longhaul/workspace/search');
  const loaded = values.workspace.embeddings === 'off' ? undefined : lazyEmbedder();
  const embedder = (await loaded?.isInstalled()) ? loaded : undefined;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const index = openCodeIndex({
    root,
    file: join(folder, `${name}.sqlite`),
    embedder: embedder?.embedder,
    fillsVectors,
  });
  return {
    index,
    async close() {
      await index.close();
      await embedder?.close();
    },
  };
}

/** The package is optional, and its model is loaded with the first text. */
function lazyEmbedder() {
  type Loaded = Awaited<ReturnType<typeof import('@longhaul/embeddings')['createEmbedder']>>;
  let model: Promise<Loaded> | undefined;
  const load = async (): Promise<Loaded> => {
    const { createEmbedder } = await import('@longhaul/embeddings');
    return await createEmbedder();
  };
  const embedder: Embedder = {
    name: 'all-MiniLM-L6-v2-int8',
    async embed(texts, options) {
      model ??= load();
      return await (await model).embed(texts, options);
    },
  };
  return {
    embedder,
    async isInstalled(): Promise<boolean> {
      try {
        createRequire(import.meta.url).resolve('@longhaul/embeddings');
        return true;
      } catch {
        return false;
      }
    },
    async close(): Promise<void> {
      await (await model?.catch(() => undefined))?.close();
    },
  };
}
