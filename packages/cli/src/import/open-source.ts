import { LonghaulError } from 'longhaul';
import { cannotRead, fileIsFolder, fileNotFound } from '../errors/file-errors.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { bytesText } from '../text/bytes.ts';
import { openFolder } from './folder.ts';
import { fileAt, type Source } from './source.ts';

/**
 * Opens what a person named.
 *
 * @example
 * const source = await openSource({ io, name: 'chat.jsonl', limit: 64 * 1024 * 1024 });
 */
export async function openSource({
  io,
  name,
  limit,
}: {
  readonly io: Io;
  /** As the person wrote it; `-` is standard input. */
  readonly name: string;
  /** How much of standard input is taken. */
  readonly limit: number;
}): Promise<Source> {
  if (name === '-') return await openInput({ io, limit });
  const path = pathOf(io).resolve(io.cwd, name);
  const facts = await io.files.stat(path).catch((error: unknown) => {
    throw cannotRead({ name, error });
  });
  if (!facts) throw fileNotFound({ name });
  if (facts.kind === 'folder') {
    const folder = name === '' ? undefined : await openFolder({ io, name, path });
    if (folder) return folder;
    throw name === '' ? fileIsFolder({ name }) : noSessionFolder({ name });
  }
  return fileAt({ io, name, path, bytes: facts.bytes });
}

/** A pipe can be read once, and an import may have to begin again: it is held in memory, within the limit. */
async function openInput({ io, limit }: { readonly io: Io; readonly limit: number }): Promise<Source> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of io.stdin()) {
    length += piece.length;
    if (length > limit) {
      throw new LonghaulError({
        code: 'file-too-large',
        cause: `standard input goes on beyond the limit of ${bytesText(limit)}.`,
        next: 'Write it to a file and import that, or raise the limit with --limits-file-bytes.',
      });
    }
    pieces.push(piece);
  }
  return {
    name: 'standard input',
    bytes: length,
    isFile: false,
    open: async function* () {
      yield* pieces;
    },
    state: async () => undefined,
  };
}

function noSessionFolder({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-is-folder',
    cause: `${name} is a folder, and not that of one session.`,
    next: 'Name the files in it, e.g. with *.jsonl, or use --scan to find the sessions of the agents on this machine.',
  });
}
