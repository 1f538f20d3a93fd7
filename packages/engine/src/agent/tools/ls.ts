import { opendir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '../plain-text.ts';
import type { Tool } from '../tool.ts';
import { explain } from '../workspace/errors.ts';
import { lookAt } from '../workspace/open.ts';
import type { Place, Workspace } from '../workspace/workspace.ts';
import { defineTool, told } from './define.ts';

const most = 1000;

/** Lists folders. */
export function lsTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<Place>({
    name: 'ls',
    description: `Lists a folder: sorted names, folders with a slash, links with their target, files with their size in bytes. Returns at most ${most} names.`,
    properties: { path: { type: 'string', description: 'The folder; default: the workspace.' } },
    target: async (args) => await workspace.place(args.text('path') ?? '.'),
    access: (place) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target: place }) => {
      await lookAt(place);
      const { lines, isMore } = await listed(place).catch((error: unknown) => {
        throw explain({ error, path: place.shown });
      });
      if (lines.length === 0) return told(`[${place.shown} is empty.]`);
      const note = isMore ? `\n[Showing ${most} names; there are more. Use find.]` : '';
      return told(`${lines.join('\n')}${note}`);
    },
  });
}

async function listed({ path }: Place): Promise<{ readonly lines: readonly string[]; readonly isMore: boolean }> {
  const found: string[] = [];
  let isMore = false;
  for await (const entry of await opendir(path)) {
    isMore = found.length >= most;
    if (isMore) break;
    const name = visible(entry.name);
    if (entry.isDirectory()) found.push(`${name}/`);
    else if (entry.isSymbolicLink()) found.push(`${name} -> ${visible(await readlink(join(path, entry.name)))}`);
    else if (entry.isFile()) found.push(`${name} (${(await stat(join(path, entry.name))).size} bytes)`);
    else found.push(`${name} (no file)`);
  }
  return { lines: found.toSorted(), isMore };
}
