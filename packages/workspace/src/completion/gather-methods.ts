import { type CursorPlace, gatherContext } from './gather.ts';
import type { CompletionItem } from './item.ts';
import { openWorkspaceFiles, type WorkspaceFiles } from './workspace-files.ts';

/** What the worker of an editor does. */
export function gatherMethods() {
  const open = new Map<string, string>();
  const roots = new Map<string, WorkspaceFiles>();
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
      const files = roots.get(of.root) ?? openWorkspaceFiles({ root: of.root, open });
      roots.set(of.root, files);
      const until = performance.now() + of.ms;
      return await gatherContext({ ...of, files, isLate: () => performance.now() > until });
    },
  };
}

export type GatherMethods = ReturnType<typeof gatherMethods>;
