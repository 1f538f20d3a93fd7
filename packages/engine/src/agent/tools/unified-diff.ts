import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { JsonObject } from '../../message/index.ts';
import { visible } from '../plain-text.ts';

/** Larger changes are not diffed: it would take too long. */
const mostEdits = 4000;
const longest = 200_000;

/** A change of a text file. */
interface TextChange {
  readonly path: string;
  /** Absent for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** A unified diff; `undefined` if the change is too large for one. */
export function patchOf({ path, before, after }: TextChange): string | undefined {
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, maxEditLength: mostEdits, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  if (patch === undefined || patch.length > longest) return undefined;
  return visible(patch.replaceAll('\r\n', '\n'));
}

/** The same with the number of added and removed lines. */
export function diffOf(change: TextChange): JsonObject {
  const { path } = change;
  const patch = patchOf(change);
  if (patch === undefined) return { path, diff: null };
  const lines = patch.split('\n').slice(2);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { path, diff: patch, added: count('+'), removed: count('-') };
}
