import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { JsonObject } from '../../message/index.ts';
import { visible } from '../plain-text.ts';

/** Larger changes are not diffed: it would take too long. */
const mostEdits = 4000;
const longest = 200_000;

/** A unified diff of a change, with the number of added and removed lines. */
export function diffOf({
  path,
  before,
  after,
}: {
  readonly path: string;
  /** Absent for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}): JsonObject {
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, maxEditLength: mostEdits, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  if (patch === undefined || patch.length > longest) return { path, diff: null };
  const lines = patch.split('\n').slice(2);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { path, diff: visible(patch.replaceAll('\r\n', '\n')), added: count('+'), removed: count('-') };
}
