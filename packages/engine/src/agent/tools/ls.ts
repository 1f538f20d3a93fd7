import { opendir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '../plain-text.ts';
import type { Tool } from '../tool.ts';
import { toFileError } from '../workspace/errors.ts';
import { statRealPath } from '../workspace/open.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';
import { defineTool, toolText } from './define.ts';

const maxEntries = 1000;

/** Lists folders. */
export function lsTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<WorkspacePath>({
    name: 'ls',
    description: `Lists a folder: sorted names, folders with a slash, links with their target, files with their size in bytes. Returns at most ${maxEntries} names.`,
    properties: { path: { type: 'string', description: 'The folder; default: the workspace.' } },
    target: async (args) => await workspace.resolve(args.text('path') ?? '.'),
    access: (place) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target: place }) => {
      await statRealPath(place);
      const { lines, isMore } = await listFolder(place).catch((error: unknown) => {
        throw toFileError({ error, path: place.shown });
      });
      if (lines.length === 0) return toolText(`[${place.shown} is empty.]`);
      const note = isMore ? `\n[Showing ${maxEntries} names; there are more. Use find.]` : '';
      return toolText(`${lines.join('\n')}${note}`);
    },
  });
}

async function listFolder({
  path,
}: WorkspacePath): Promise<{ readonly lines: readonly string[]; readonly isMore: boolean }> {
  const found: string[] = [];
  let isMore = false;
  for await (const entry of await opendir(path)) {
    isMore = found.length >= maxEntries;
    if (isMore) break;
    const name = visible(entry.name);
    if (entry.isDirectory()) found.push(`${name}/`);
    else if (entry.isSymbolicLink()) found.push(`${name} -> ${visible(await readlink(join(path, entry.name)))}`);
    else if (entry.isFile()) found.push(`${name} (${(await stat(join(path, entry.name))).size} bytes)`);
    else found.push(`${name} (no file)`);
  }
  return { lines: found.toSorted(), isMore };
}
