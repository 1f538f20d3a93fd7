import { LonghaulError } from '../../errors.ts';
import type { Tool } from '../tool.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';
import { defineTool, toolText } from './define.ts';
import { type LoadedFile, loadFile, saveFile } from './file-content.ts';
import { decodeText } from './text-file.ts';
import { diffOf, patchOf } from './unified-diff.ts';

/** Writes whole files. */
export function writeTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<{ readonly place: WorkspacePath; readonly content: string }>({
    name: 'write',
    description:
      'Writes a file: creates it or replaces all of its content. Missing folders are created. To change part of a file, use edit.',
    properties: {
      file_path: { type: 'string', description: 'The file, relative to the workspace or absolute.' },
      content: { type: 'string', description: 'The complete content.' },
    },
    required: ['file_path', 'content'],
    target: async (args) => ({
      place: await workspace.resolve(args.needText('file_path')),
      content: args.needText('content'),
    }),
    access: ({ place }) => ({ kind: 'write', paths: [place.path], isOutside: place.isOutside }),
    preview: async ({ place, content }) => {
      const before = await existing({ workspace, place });
      return patchOf({ path: place.shown, before: before && textOf(before), after: content });
    },
    run: async ({ target: { place, content } }) =>
      await workspace.exclusive({
        path: place.path,
        async work() {
          const before = await existing({ workspace, place });
          const data = Buffer.from(content, 'utf8');
          const written = [await saveFile({ workspace, place, data, before })];
          const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
          const verb = before ? 'Replaced' : 'Wrote';
          const details = diffOf({ path: place.shown, before: before && textOf(before), after: content });
          const text = `${verb} ${place.shown}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${data.length} bytes.`;
          return { ...toolText(text, details), written };
        },
      }),
  });
}

async function existing(of: {
  readonly workspace: Workspace;
  readonly place: WorkspacePath;
}): Promise<LoadedFile | undefined> {
  try {
    return await loadFile(of);
  } catch (error) {
    const isAbsent =
      LonghaulError.is(error) && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'ENOENT';
    if (isAbsent) return undefined;
    throw error;
  }
}

/** The previous content, if it was text. */
function textOf({ data }: LoadedFile): string {
  try {
    return decodeText({ data, path: '' }).text;
  } catch {
    return '';
  }
}
