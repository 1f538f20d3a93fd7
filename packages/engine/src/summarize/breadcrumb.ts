import type { SourceItem } from '../analysis/index.ts';
import type { SummaryInput } from './summarizer.ts';

/**
 * Where all of it is: by handle, and in the transcript where one is written. Written into the summary once, and the same
 * as long as that is sent: chat once put it there at every request, and each new number of lines broke the provider's
 * cache (editor.md 3.9).
 *
 * @example
 * breadcrumb({ items, transcript: { path: '/repo/session.jsonl', lines: 412 } });
 */
export function breadcrumb({
  items,
  transcript,
}: {
  readonly items: readonly SourceItem[];
  readonly transcript?: SummaryInput['transcript'];
}): string {
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return '';
  const kept = `Everything that this stands for is kept, word for word, from @${first.handle} to @${last.handle}: recall it by handle (@${first.handle}, or lines as in @${first.handle}:1-40), or search it by words.`;
  if (!transcript) return kept;
  const { path, lines } = transcript;
  return `${kept} The whole conversation up to here, tool results included, is also in the file ${path}: ${lines} lines of JSON, an event a line. Read some of them, for example \`sed -n '${exampleLines(lines)}p' ${quoted(path)}\`, or search them, for example \`grep -n 'a word' ${quoted(path)}\`.`;
}

/** Some that are there. */
function exampleLines(lines: number): string {
  return `${Math.max(1, lines - 19)},${Math.max(1, lines)}`;
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
