import { tags } from './prompts/tags.ts';

/** The text between the tags of a summary. */
export interface Tagged {
  readonly text: string;
  /** Whether the closing tag is present. */
  readonly isClosed: boolean;
}

const opened = new RegExp(`<\\s*${tags.summary}\\s*>`, 'gi');
const closed = new RegExp(`<\\s*/\\s*${tags.summary}\\s*>`, 'gi');
const analysis = {
  opened: new RegExp(`<\\s*${tags.analysis}\\s*>`, 'i'),
  closed: new RegExp(`<\\s*/\\s*${tags.analysis}\\s*>`, 'i'),
};

/**
 * The summary in an answer: from the first opening tag after the analysis to the last closing one. A tag quoted in the
 * analysis does not count (editor.md 3.6). If the analysis is never closed, the last tag at the start of a line counts.
 *
 * @example
 * taggedIn('<analysis>…</analysis>\n<summary>Done.</summary>'); // { text: 'Done.', isClosed: true }
 */
export function taggedIn(answer: string): Tagged | undefined {
  const rest = withoutAnalysis(answer);
  const starts = [...rest.matchAll(opened)];
  const isOpenAnalysis = analysis.opened.test(rest);
  const start = isOpenAnalysis ? starts.findLast(({ index }) => isAtLine({ text: rest, index })) : starts[0];
  if (!start) return undefined;
  const inner = rest.slice(start.index + start[0].length);
  const end = [...inner.matchAll(closed)].at(-1);
  return { text: (end ? inner.slice(0, end.index) : inner).trim(), isClosed: end !== undefined };
}

/** The answer without its analysis; unchanged if the analysis is never closed. */
export function withoutAnalysis(answer: string): string {
  const start = analysis.opened.exec(answer)?.index;
  const end = start === undefined ? undefined : analysis.closed.exec(answer.slice(start));
  if (start === undefined || !end) return answer.trim();
  return `${answer.slice(0, start)}${answer.slice(start + end.index + end[0].length)}`.trim();
}

function isAtLine({ text, index }: { readonly text: string; readonly index: number }): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 80), index));
}
