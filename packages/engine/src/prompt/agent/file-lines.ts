import type { BasePromptElementProps, PromptPiece, PromptSizing } from '../element.ts';
import { cutText } from '../elements/cut-text.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { tagged } from './tagged.ts';

/** Props of a file with line numbers. */
export interface FileLinesProps extends BasePromptElementProps {
  path: string;
  text: string;
  /** Number of the first line of `text`; default: 1. */
  startLine?: number;
  /** Which lines to keep if not all fit; default: the first. */
  keep?: 'head' | 'tail' | 'both';
}

const mark = '\n… lines left out …';

/**
 * A file, or part of it, with line numbers. It is cut between lines to its share of the budget and pruned as a whole;
 * if not a single line fits, it is omitted.
 *
 * @example
 * h(UserMessage, {}, h(FileLines, { path: 'src/login.ts', text, startLine: 40, keep: 'both', priority: 5 }));
 */
export async function FileLines(props: FileLinesProps, sizing: PromptSizing): Promise<PromptPiece | undefined> {
  const { path, text, startLine = 1, keep = 'head' } = props;
  const lines = text.split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const last = startLine + lines.length - 1;
  const width = String(last).length;
  const numbered = lines.map((line, index) => `${String(startLine + index).padStart(width)}  ${line}`).join('\n');
  const count = (piece: string) => sizing.countTokens(piece);
  const framed = (inside: string) =>
    tagged({ tag: 'file', facts: { path, lines: `${startLine}-${last}` }, text: inside });
  const budget = sizing.tokenBudget - (await count(framed('')));
  const kept = await cutText({ text: numbered, rule: '\n', budget, count, keep, mark });
  if (kept.replace(mark, '').trim() === '') return undefined;
  return h(TextChunk, {}, framed(kept.replace(/^\n/, '')));
}
