import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

/**
 * Splits a path and an optional line number.
 *
 * @example
 * splitPlace('src/a.ts:12'); // { path: 'src/a.ts', line: 12 }
 */
export function splitPlace(place: string): { readonly path: string; readonly line?: number } {
  const [, path, line] = /^(.+?):(\d{1,9})$/.exec(place) ?? [];
  return path === undefined || Number(line) < 1 ? { path: place } : { path, line: Number(line) };
}

/** Reads a source file within the size limit. */
export async function readSource(of: {
  readonly io: Io;
  readonly path: string;
  readonly limit: number;
}): Promise<string> {
  const { io, path, limit } = of;
  return await readText({
    name: path,
    from: { files: io.files, path: pathOf(io).resolve(io.cwd, path) },
    limit: { bytes: limit, hint: 'Raise limits.fileBytes, or choose a smaller file.' },
  });
}
