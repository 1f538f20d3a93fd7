import type { FileHandle } from 'node:fs/promises';
import { visible } from '../plain-text.ts';
import { decodeText } from './text-file.ts';

/** Lines, 1-based and inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Selects the most relevant lines of a file that is too long to show: its definitions, and what is near `around`.
 * `@longhaul/workspace` provides one. `undefined` if nothing can be selected.
 */
export type OutlineFile = (of: {
  readonly path: string;
  readonly text: string;
  /** Lines to show in any case. */
  readonly around?: LineRange;
  /** Limit of all shown lines together. */
  readonly characters: number;
  readonly signal: AbortSignal;
}) => Promise<readonly LineRange[] | undefined>;

/** Limit of an outline, instead of a cut at 50,000 characters. */
const outlineChars = 20_000;
/** Larger files are cut, since parsing them takes too long. */
const largestFile = 2_000_000;
const longestLine = 500;

/**
 * A file over the limit as an outline: the lines of its definitions with numbers, and for each gap the offset and limit
 * that read it. `undefined` if no outline fits.
 */
export async function outlinedFile(of: {
  readonly handle: FileHandle;
  readonly size: number;
  /** The path the model used. */
  readonly path: string;
  /** The first requested line; absent for the whole file. */
  readonly from: number | undefined;
  readonly outline: OutlineFile;
  readonly signal: AbortSignal;
}): Promise<string | undefined> {
  const { handle, size, path, from, outline, signal } = of;
  if (size > largestFile) return undefined;
  const data = Buffer.alloc(size);
  const { bytesRead } = await handle.read(data, 0, size, 0);
  const { text } = decodeText({ data: data.subarray(0, bytesRead), path });
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (from !== undefined && from > lines.length) return undefined;
  const around = from === undefined ? undefined : { from, to: lastLine({ lines, from }) };
  const request = { path, text, characters: outlineChars, signal };
  const ranges = await outline(around ? { ...request, around } : request).catch((error: unknown) => {
    signal.throwIfAborted();
    // Best effort: without an outline the file is cut.
    if (error instanceof Error) return undefined;
    throw error;
  });
  return ranges && rendered({ lines, ranges, path });
}

/** Half of the outline is for the requested lines. */
function lastLine({ lines, from }: { readonly lines: readonly string[]; readonly from: number }): number {
  let [to, chars] = [from, 0];
  while (to < lines.length) {
    chars += Math.min(longestLine, lines[to - 1]?.length ?? 0) + 1;
    if (chars > outlineChars / 2) break;
    to += 1;
  }
  return to;
}

function rendered(of: {
  readonly lines: readonly string[];
  readonly ranges: readonly LineRange[];
  readonly path: string;
}): string | undefined {
  const { lines, ranges, path } = of;
  const out: string[] = [];
  let [next, chars] = [1, 0];
  const gap = (to: number) => {
    if (to >= next) out.push(`[lines ${next}-${to}: offset ${next}, limit ${to - next + 1}]`);
  };
  for (const { from, to } of ranges) {
    if (from < next || to < from || to > lines.length) continue;
    gap(from - 1);
    for (let at = from; at <= to; at += 1) {
      const line = lines[at - 1] ?? '';
      const cut = line.length > longestLine ? `${line.slice(0, longestLine).toWellFormed()} […]` : line;
      out.push(`${at}\t${visible(cut.replace(/\r$/, ''))}`);
      chars += cut.length + 1;
    }
    next = to + 1;
  }
  gap(lines.length);
  // An outline as long as the cut would only hide lines.
  if (chars === 0 || chars > 2 * outlineChars) return undefined;
  return [
    ...out,
    `[${path} has ${lines.length} lines, too many to show. This is an outline; read a gap with its offset and limit.]`,
  ].join('\n');
}
