import { type CursorPlace, gatherContext } from './gather.ts';
import type { CompletionItem } from './item.ts';
import type { ReadFile } from './language-context.ts';
import { workspaceReader } from './read-file.ts';

/** What the worker of an editor does. */
export function gatherMethods() {
  const open = new Map<string, string>();
  const readers = new Map<string, ReadFile>();
  return {
    async gather(of: {
      readonly root: string;
      readonly place: CursorPlace;
      readonly neighbors: readonly string[];
      /** Documents of the editor that changed; without a text they were closed. */
      readonly changed: readonly { readonly path: string; readonly text?: string }[];
      readonly ms: number;
    }): Promise<{ readonly items: CompletionItem[]; readonly isComplete: boolean }> {
      for (const { path, text } of of.changed) {
        if (text === undefined) open.delete(path);
        else open.set(path, text);
      }
      const read = readers.get(of.root) ?? workspaceReader({ root: of.root, open });
      readers.set(of.root, read);
      const until = performance.now() + of.ms;
      return await gatherContext({ ...of, read, isLate: () => performance.now() > until });
    },
  };
}

export type GatherMethods = ReturnType<typeof gatherMethods>;
