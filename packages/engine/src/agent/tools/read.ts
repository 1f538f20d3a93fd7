import type { FileHandle } from 'node:fs/promises';
import { LonghaulError } from '../../errors.ts';
import { visible } from '../plain.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { withFile } from '../workspace/open.ts';
import type { Place, Workspace } from '../workspace/workspace.ts';
import { defineTool, textPart, told } from './define.ts';
import { imageType, largestImage } from './image.ts';
import { readLines } from './read-lines.ts';
import { encodingOf, isBinary, notText } from './text-file.ts';

const mostLines = 2000;
const mostChars = 50_000;
const longestLine = 2000;

interface Reading {
  readonly place: Place;
  readonly from: number;
  readonly limit: number;
}

/** Reads files. The argument has the name that other agents give it, so that the engine knows what was read. */
export function readTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<Reading>({
    name: 'read',
    description: `Reads a text file with numbered lines, or looks at an image (PNG, JPEG, GIF, WebP). Gives ${mostLines} lines or ${mostChars} characters at most; use offset and limit for other parts. The number and the tab before each line are not part of the file.`,
    properties: {
      file_path: { type: 'string', description: 'The file, from the workspace or absolute.' },
      offset: { type: 'integer', minimum: 1, description: 'The first line to read; 1 is the first of the file.' },
      limit: { type: 'integer', minimum: 1, description: 'How many lines to read.' },
    },
    required: ['file_path'],
    target: async (args) => ({
      place: await workspace.place(args.needText('file_path')),
      from: args.whole({ name: 'offset', least: 0 }) || 1,
      limit: Math.min(mostLines, args.whole({ name: 'limit' }) ?? mostLines),
    }),
    access: ({ place }) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target, signal }) => {
      const { path } = target.place;
      return await withFile({
        path,
        async work({ handle, stats }) {
          const start = Buffer.alloc(8192);
          const { bytesRead } = await handle.read(start, 0, start.length, 0);
          const head = start.subarray(0, bytesRead);
          const mediaType = imageType(head);
          if (mediaType !== undefined) return await image({ handle, mediaType, size: Number(stats.size), target });
          const outcome = await text({ handle, head, target, signal });
          workspace.seen.note({ path, stats });
          return outcome;
        },
      });
    },
  });
}

async function image(of: {
  readonly handle: FileHandle;
  readonly mediaType: string;
  readonly size: number;
  readonly target: Reading;
}): Promise<ToolOutcome> {
  const { handle, mediaType, size, target } = of;
  const { shown } = target.place;
  if (size > largestImage) {
    const cause = `${shown} is an image of ${size} bytes, and models take ${largestImage} at most.`;
    throw new LonghaulError({ code: 'image-too-large', cause, next: 'Make a smaller copy of it and read that.' });
  }
  const data = Buffer.alloc(size);
  const { bytesRead } = await handle.read(data, 0, size, 0);
  const source = { kind: 'base64' as const, mediaType, data: data.subarray(0, bytesRead).toString('base64') };
  return {
    content: [textPart(`${shown}: ${mediaType}, ${bytesRead} bytes`), { type: 'image', origin: 'tool', source }],
  };
}

async function text(of: {
  readonly handle: FileHandle;
  readonly head: Buffer;
  readonly target: Reading;
  readonly signal: AbortSignal;
}): Promise<ToolOutcome> {
  const { handle, head, target, signal } = of;
  const { place, from, limit } = target;
  const encoding = encodingOf(head);
  if (isBinary({ start: head, encoding })) throw notText({ path: place.shown });
  const { lines, passed, isEnd } = await readLines({
    ...{ handle, encoding, path: place.shown, from, limit, mostChars, longestLine, signal },
  });
  const total = isEnd ? `${passed}` : `more than ${passed}`;
  if (lines.length === 0)
    return told(
      passed === 0
        ? `[${place.shown} is empty.]`
        : `[${place.shown} has ${total} lines; there is none from ${from} on.]`,
    );
  const last = from + lines.length - 1;
  const numbered = lines.map((line, index) => `${from + index}\t${visible(line)}`);
  const isAll = from === 1 && isEnd && last === passed;
  const more = last < passed || !isEnd ? ` Give offset ${last + 1} for the next.` : '';
  return told([...numbered, ...(isAll ? [] : [`[Showing lines ${from}-${last} of ${total}.${more}]`])].join('\n'));
}
