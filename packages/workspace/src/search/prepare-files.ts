import { createHash } from 'node:crypto';
import { chunksOf } from './chunk.ts';
import type { WorkspaceFile } from './files.ts';
import { readText } from './regular.ts';
import { caseParts } from './words.ts';

/** A file that may have to be indexed. */
export interface FileToPrepare extends WorkspaceFile {
  /** The hash of the content that is in the index. */
  readonly indexedHash?: string;
}

/** A file as it goes into the index. */
export interface PreparedFile extends WorkspaceFile {
  readonly hash: string;
  /** The path with the parts of its names. */
  readonly pathWords: string;
  /** Absent where the content is in the index already. */
  readonly chunks?: readonly PreparedChunk[];
}

/** A chunk with the words that it is found by. */
export interface PreparedChunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly symbols: string;
  readonly symbolParts: string;
  readonly text: string;
  readonly parts: string;
}

/** Identifiers repeat, so their parts are remembered. */
const known = new Map<string, string>();

/** Reads files, cuts them into chunks and splits their identifiers: all of indexing that needs no database. */
export function prepareFiles({
  root,
  files,
}: {
  readonly root: string;
  readonly files: readonly FileToPrepare[];
}): PreparedFile[] {
  return files.map(({ indexedHash, ...file }) => {
    const text = readText({ root, path: file.path }) ?? '';
    const hash = createHash('sha1').update(text).digest('base64');
    const pathWords = `${file.path} ${caseParts({ text: file.path, known })}`;
    if (hash === indexedHash) return { ...file, hash, pathWords };
    // A file with nothing to find has no chunks; it is remembered as well, so that it is not read at each start.
    const chunks = chunksOf(text).map(({ symbols: names, text: body, startLine, endLine }) => {
      const symbols = names.join(' ');
      return {
        startLine,
        endLine,
        symbols,
        symbolParts: caseParts({ text: symbols, known }),
        text: body,
        parts: caseParts({ text: body, known }),
      };
    });
    return { ...file, hash, pathWords, chunks };
  });
}

/** What the worker of the indexer does. */
export const prepareMethods = { prepare: prepareFiles };
