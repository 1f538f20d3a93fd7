import type { BasePromptElementProps, PromptPiece, PromptSizing } from '../element.ts';
import { cutText } from '../elements/cut-text.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import { h } from '../jsx.ts';
import { tagged } from './tagged.ts';

/** The props of a file with numbered lines. */
export interface FileLinesProps extends BasePromptElementProps {
  path: string;
  text: string;
  /** The number of the first line of `text`; 1 if unset. */
  startLine?: number;
  /** Which lines are kept when there is room for some only; the first ones if unset. */
  keep?: 'head' | 'tail' | 'both';
}

const mark = '\n… lines are left out …';

/**
 * A file, or a part of it, with the numbers of its lines. It is cut between lines to its share of the budget, and goes
 * whole; where there is no room for a single line it is not there at all.
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
