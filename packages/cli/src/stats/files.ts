import { filesTouched } from 'longhaul/engine';
import type { Message } from 'longhaul/message';

/** How often a file was read and changed. */
export interface FileCount {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
}

/** Counts what calls did to files. */
export interface FileTally {
  readonly take: (input: { readonly message: Message; readonly cwd: string | undefined }) => void;
  /** The most changed first, then the most read. */
  readonly counted: () => readonly FileCount[];
}

export function createFileTally(): FileTally {
  const files = new Map<string, FileCount>();
  return {
    take({ message: { parts }, cwd }) {
      for (const part of parts) {
        if (part.type !== 'tool_call') continue;
        for (const { path: written, kind } of filesTouched({ part, directory: cwd })) {
          const path = inside({ path: written, cwd });
          const { reads, writes } = files.get(path) ?? { reads: 0, writes: 0 };
          const isRead = kind === 'read';
          files.set(path, { path, reads: reads + (isRead ? 1 : 0), writes: writes + (isRead ? 0 : 1) });
        }
      }
    },
    counted: () =>
      [...files.values()].sort((a, b) => b.writes - a.writes || b.reads - a.reads || (a.path < b.path ? -1 : 1)),
  };
}

/** One file has one name here, whether it was written from the root or from the folder of the session. */
function inside({ path, cwd }: { readonly path: string; readonly cwd: string | undefined }): string {
  const root = cwd === undefined || /[/\\]$/.test(cwd) ? cwd : `${cwd}${cwd.includes('\\') ? '\\' : '/'}`;
  return root !== undefined && path.startsWith(root) ? path.slice(root.length) : path.replace(/^\.\//, '');
}
