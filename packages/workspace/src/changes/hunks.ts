import { parsePatch, structuredPatch } from 'diff';

/** Lines of a document, 1-based and inclusive. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

/** A changed file as a patch names it. */
export interface ChangedFile {
  /** In the new state; the old one where it was deleted. */
  readonly path: string;
  readonly isDeleted: boolean;
  /** Changed lines of the new text; a pure deletion marks the line it happened at. */
  readonly hunks: readonly LineSpan[];
}

/**
 * The changed files of a unified diff, as `git diff` prints it.
 *
 * @example
 * changedFiles(text)[0]; // { path: 'src/a.ts', isDeleted: false, hunks: [{ from: 10, to: 12 }] }
 */
export function changedFiles(patch: string): ChangedFile[] {
  return parsePatch(patch).flatMap(({ oldFileName, newFileName, hunks }) => {
    const isDeleted = newFileName === '/dev/null';
    const name = isDeleted ? oldFileName : newFileName;
    if (name === undefined || name === '/dev/null') return [];
    return [{ path: name.replace(/^[ab]\//, ''), isDeleted, hunks: hunks.flatMap(spansOf) }];
  });
}

/** The changed lines of `after`. */
export function changedLines({ before, after }: { readonly before: string; readonly after: string }): LineSpan[] {
  const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 0 });
  return hunks.flatMap(spansOf);
}

function spansOf({ newStart, lines }: { readonly newStart: number; readonly lines: readonly string[] }): LineSpan[] {
  const spans: LineSpan[] = [];
  let at = Math.max(1, newStart);
  for (const line of lines) {
    if (line.startsWith('\\')) continue;
    const isRemoved = line.startsWith('-');
    if (isRemoved || line.startsWith('+')) {
      const last = spans.at(-1);
      if (last && at <= last.to + 1) spans[spans.length - 1] = { from: last.from, to: Math.max(last.to, at) };
      else spans.push({ from: at, to: at });
    }
    if (!isRemoved) at += 1;
  }
  return spans;
}
