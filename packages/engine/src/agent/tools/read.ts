import type { FileHandle } from 'node:fs/promises';
import { LonghaulError } from '../../errors.ts';
import { visible } from '../plain-text.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { withFile } from '../workspace/open.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';
import { defineTool, textPart, toolText } from './define.ts';
import { type OutlineFile, outlinedFile } from './read-outline.ts';
import { decoderOf, encodingOf, isBinary, notText, type TextEncoding } from './text-file.ts';

const maxLines = 2000;
const maxChars = 50_000;
const longestLine = 2000;

interface ReadTarget {
  readonly place: WorkspacePath;
  readonly from: number;
  readonly limit: number;
  /** The original arguments. */
  readonly asked: { readonly offset: number | undefined; readonly limit: number | undefined };
}

/** Reads files. The argument name is the one other agents use, so that the engine recognizes which file was read. */
export function readTool({
  workspace,
  outline,
}: {
  readonly workspace: Workspace;
  /** Creates an outline of a file over the limit, instead of its first lines. */
  readonly outline?: OutlineFile | undefined;
}): Tool {
  return defineTool<ReadTarget>({
    name: 'read',
    description: `Reads a text file with line numbers, or an image (PNG, JPEG, GIF, WebP). Returns at most ${maxLines} lines or ${maxChars} characters; use offset and limit for other parts. The number and tab before each line are not part of the file.`,
    properties: {
      file_path: { type: 'string', description: 'The file, relative to the workspace or absolute.' },
      offset: { type: 'integer', minimum: 1, description: 'First line to read, 1-based.' },
      limit: { type: 'integer', minimum: 1, description: 'Number of lines to read.' },
    },
    required: ['file_path'],
    target: async (args) => {
      const asked = { offset: args.whole({ name: 'offset', least: 0 }), limit: args.whole({ name: 'limit' }) };
      return {
        place: await workspace.resolve(args.needText('file_path')),
        from: asked.offset || 1,
        limit: Math.min(maxLines, asked.limit ?? maxLines),
        asked,
      };
    },
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
          if (mediaType !== undefined) return await readImage({ handle, mediaType, size: Number(stats.size), target });
          const outcome = await readText({ handle, head, target, signal, outline, size: Number(stats.size) });
          workspace.seen.note({ path, stats });
          return outcome;
        },
      });
    },
  });
}

async function readImage(of: {
  readonly handle: FileHandle;
  readonly mediaType: string;
  readonly size: number;
  readonly target: ReadTarget;
}): Promise<ToolOutcome> {
  const { handle, mediaType, size, target } = of;
  const { shown } = target.place;
  if (size > largestImage) {
    const message = `${shown} is an image of ${size} bytes; the limit is ${largestImage}.`;
    throw new LonghaulError({ code: 'image-too-large', message, hint: 'Create a smaller copy and read that.' });
  }
  const data = Buffer.alloc(size);
  const { bytesRead } = await handle.read(data, 0, size, 0);
  const source = { kind: 'base64' as const, mediaType, data: data.subarray(0, bytesRead).toString('base64') };
  return {
    content: [textPart(`${shown}: ${mediaType}, ${bytesRead} bytes`), { type: 'image', origin: 'tool', source }],
  };
}

async function readText(of: {
  readonly handle: FileHandle;
  readonly head: Buffer;
  readonly target: ReadTarget;
  readonly signal: AbortSignal;
  readonly outline: OutlineFile | undefined;
  readonly size: number;
}): Promise<ToolOutcome> {
  const { handle, head, target, signal, outline, size } = of;
  const { place, from, limit, asked } = target;
  const encoding = encodingOf(head);
  if (isBinary({ start: head, encoding })) throw notText({ path: place.shown });
  const { lines, passed, isEnd } = await readLines({
    handle,
    encoding,
    path: place.shown,
    from,
    limit,
    maxChars,
    longestLine,
    signal,
  });
  const total = isEnd ? `${passed}` : `more than ${passed}`;
  if (lines.length === 0)
    return toolText(
      passed === 0 ? `[${place.shown} is empty.]` : `[${place.shown} has ${total} lines; there is no line ${from}.]`,
    );
  const last = from + lines.length - 1;
  const isCut = last < Math.min(passed, from + (asked.limit ?? Number.MAX_SAFE_INTEGER) - 1);
  if (outline && isCut) {
    const path = place.shown;
    const shown = await outlinedFile({ handle, size, path, from: asked.offset || undefined, outline, signal });
    if (shown !== undefined) return toolText(shown);
  }
  const numbered = lines.map((line, index) => `${from + index}\t${visible(line)}`);
  const isAll = from === 1 && isEnd && last === passed;
  const more = last < passed || !isEnd ? ` Use offset ${last + 1} for the next lines.` : '';
  return toolText([...numbered, ...(isAll ? [] : [`[Showing lines ${from}-${last} of ${total}.${more}]`])].join('\n'));
}

/** Image types that all providers accept, by magic bytes. */
const kinds: readonly { readonly mediaType: string; readonly isIt: (start: Buffer) => boolean }[] = [
  { mediaType: 'image/png', isIt: (start) => start.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  { mediaType: 'image/jpeg', isIt: (start) => start.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  { mediaType: 'image/gif', isIt: (start) => /^GIF8[79]a/.test(start.toString('latin1', 0, 6)) },
  {
    mediaType: 'image/webp',
    isIt: (start) => start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP',
  },
];

/** The image type by magic bytes, whatever the file name. */
function imageType(start: Buffer): string | undefined {
  return kinds.find(({ isIt }) => isIt(start))?.mediaType;
}

/** Anthropic accepts 5 MB of base64 per image, others more. Bytes. */
const largestImage = 3_750_000;

/** Lines of a file, and how far it was read. */
interface Lines {
  /** Long lines are cut. */
  readonly lines: readonly string[];
  /** Number of lines read so far. */
  readonly passed: number;
  /** Whether the file ends there. */
  readonly isEnd: boolean;
}

const chunkSize = 64 * 1024;

/** Limit for counting the lines of a file. Bytes. */
const countsUpTo = 8 * 1024 * 1024;

/**
 * Reads some lines of a file in chunks; memory is bounded by what was requested, whatever the size of the file and its
 * lines.
 */
async function readLines({
  handle,
  encoding,
  path,
  from,
  limit,
  maxChars,
  longestLine,
  signal,
}: {
  readonly handle: FileHandle;
  readonly encoding: TextEncoding;
  readonly path: string;
  /** 1-based. */
  readonly from: number;
  readonly limit: number;
  /** Limit of all lines together. */
  readonly maxChars: number;
  readonly longestLine: number;
  readonly signal: AbortSignal;
}): Promise<Lines> {
  const decoder = decoderOf(encoding);
  const buffer = Buffer.alloc(chunkSize);
  const lines: string[] = [];
  let [at, passed, chars, line, hidden, isOpen, isFull] = [encoding.mark, 0, 0, '', 0, false, false];
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkSize, at);
    at += bytesRead;
    take(decoded(bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead)));
    if (bytesRead === 0) {
      if (isOpen) endLine();
      return { lines, passed, isEnd: true };
    }
    if ((isFull || lines.length >= limit) && at > countsUpTo) return { lines, passed, isEnd: false };
  }

  function decoded(bytes: Uint8Array | undefined): string {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw notText({ path });
    }
  }

  function take(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      addToLine(text.slice(start, end));
      endLine();
      start = end + 1;
    }
    if (start < text.length) addToLine(text.slice(start));
  }

  function addToLine(piece: string): void {
    isOpen = true;
    if (passed + 1 < from || lines.length >= limit || isFull) return;
    const room = Math.max(0, longestLine - line.length);
    line += piece.slice(0, room);
    hidden += Math.max(0, piece.length - room);
  }

  function endLine(): void {
    passed += 1;
    isOpen = false;
    if (passed >= from && lines.length < limit && !isFull) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      const shown = hidden > 0 ? `${text.toWellFormed()} [… ${hidden} characters of this line left out]` : text;
      isFull = lines.length > 0 && chars + shown.length > maxChars;
      if (!isFull) lines.push(shown);
      chars += shown.length + 1;
    }
    line = '';
    hidden = 0;
  }
}
