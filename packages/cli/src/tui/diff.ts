import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { diffWordsWithSpace } from 'diff';
import { createHighlighter } from './highlight.ts';
import type { Theme } from './theme.ts';

/** Lines that differ more are not compared word by word. */
const longestLine = 500;

interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
  readonly number: number | undefined;
}

/**
 * A unified diff in color: line numbers, removed and added lines, and within a changed line the words that changed.
 *
 * @example
 * renderDiff({ diff, theme, width: 80, most: 40 });
 */
export function renderDiff({
  diff,
  theme,
  width,
  most,
}: {
  readonly diff: string;
  readonly theme: Theme;
  readonly width: number;
  /** At most so many lines; a last line says how many are left out. */
  readonly most: number;
}): string[] {
  const files = [...diff.matchAll(/^\+\+\+ (?:b\/)?(.+)$/gm)].map(([, path]) => path ?? '');
  const language = /\.([a-z0-9+]+)$/i.exec(files[0] ?? '')?.[1];
  const lines: string[] = [];
  let hunk: DiffLine[] = [];
  let [oldAt, newAt]: [number | undefined, number | undefined] = [undefined, undefined];
  const flush = () => {
    lines.push(...renderHunk({ hunk, theme, width, language }));
    hunk = [];
  };
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    if (/^(?:---|\+\+\+) /.test(line) || line.startsWith('\\')) continue;
    const header = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)?)? ?@@/.exec(line);
    if (header) {
      flush();
      if (lines.length > 0) lines.push(theme.faint('  ⋮'));
      [oldAt, newAt] = [numberOf(header[1]), numberOf(header[2])];
      continue;
    }
    const sign = line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
    hunk.push({ sign, text: /^[-+ ]/.test(line) ? line.slice(1) : line, number: sign === '-' ? oldAt : newAt });
    if (sign !== '+' && oldAt !== undefined) oldAt += 1;
    if (sign !== '-' && newAt !== undefined) newAt += 1;
  }
  flush();
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), theme.faint(`  … ${lines.length - most} more lines`)];
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function renderHunk({
  hunk,
  theme,
  width,
  language,
}: {
  readonly hunk: readonly DiffLine[];
  readonly theme: Theme;
  readonly width: number;
  readonly language: string | undefined;
}): string[] {
  const digits = String(Math.max(0, ...hunk.map(({ number = 0 }) => number))).length;
  const hasNumbers = hunk.some(({ number }) => number !== undefined);
  const highlight = createHighlighter({ language, theme });
  const draw = (line: DiffLine, text: string) => {
    const number = hasNumbers ? `${String(line.number ?? '').padStart(digits)} ` : '';
    const body = truncateToWidth(`${theme.faint(number)}${line.sign} ${text.replaceAll('\t', '  ')}`, width - 2, '…');
    const padded = `${body}${' '.repeat(Math.max(0, width - 2 - visibleWidth(body)))}`;
    if (line.sign === ' ') return `  ${body}`;
    return `  ${line.sign === '+' ? theme.added(padded) : theme.removed(padded)}`;
  };
  const lines: string[] = [];
  for (let at = 0; at < hunk.length; ) {
    const removed = run({ hunk, at, sign: '-' });
    const added = run({ hunk, at: at + removed.length, sign: '+' });
    const [first] = hunk.slice(at, at + 1);
    if (removed.length + added.length === 0 && first) {
      lines.push(draw(first, highlight(first.text)));
      at += 1;
      continue;
    }
    // The same number of lines on both sides: a change within lines.
    const pairs = removed.length === added.length;
    const words = pairs
      ? removed.map((line, index) => changedWords({ before: line.text, after: added[index]?.text ?? '', theme }))
      : [];
    for (const [index, line] of removed.entries()) lines.push(draw(line, words[index]?.before ?? line.text));
    for (const [index, line] of added.entries()) lines.push(draw(line, words[index]?.after ?? line.text));
    at += removed.length + added.length;
  }
  return lines;
}

function run({
  hunk,
  at,
  sign,
}: {
  readonly hunk: readonly DiffLine[];
  readonly at: number;
  readonly sign: string;
}): DiffLine[] {
  const rest = hunk.slice(at);
  const end = rest.findIndex((line) => line.sign !== sign);
  return end < 0 ? rest : rest.slice(0, end);
}

/** Marks the words that differ; nothing if hardly anything is the same. */
function changedWords({
  before,
  after,
  theme,
}: {
  readonly before: string;
  readonly after: string;
  readonly theme: Theme;
}): { readonly before: string; readonly after: string } | undefined {
  if (before.length > longestLine || after.length > longestLine) return undefined;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 60 });
  if (!parts) return undefined;
  const same = parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0);
  if (same * 3 < Math.max(before.length, after.length)) return undefined;
  const side = (isAdded: boolean) =>
    parts
      .filter(({ added, removed }) => (isAdded ? !removed : !added))
      .map(({ added, removed, value }) => (added ? theme.addedWord(value) : removed ? theme.removedWord(value) : value))
      .join('');
  return { before: side(false), after: side(true) };
}
