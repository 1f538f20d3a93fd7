import type { FileHandle } from 'node:fs/promises';
import { decoderOf, type Encoding, notText } from './text-file.ts';

/** Lines of a file, and how far it was looked at. */
export interface Lines {
  /** Each cut where it is too long. */
  readonly lines: readonly string[];
  /** Of all lines that were passed. */
  readonly passed: number;
  /** Whether the file ends there. */
  readonly isEnd: boolean;
}

const chunkSize = 64 * 1024;

/** So far a file is read on to count its lines. Bytes. */
const countsUpTo = 8 * 1024 * 1024;

/**
 * Some lines of a file, read in pieces: however large it is and however long its lines, no more than what is asked for is
 * kept.
 */
export async function readLines({
  handle,
  encoding,
  path,
  from,
  limit,
  mostChars,
  longestLine,
  signal,
}: {
  readonly handle: FileHandle;
  readonly encoding: Encoding;
  readonly path: string;
  /** From 1. */
  readonly from: number;
  readonly limit: number;
  /** Of all lines together. */
  readonly mostChars: number;
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
      isFull = lines.length > 0 && chars + shown.length > mostChars;
      if (!isFull) lines.push(shown);
      chars += shown.length + 1;
    }
    line = '';
    hidden = 0;
  }
}
