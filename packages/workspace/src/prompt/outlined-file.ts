import { type BasePromptElementProps, h, type PromptPiece, type PromptSizing, TextChunk } from 'longhaul/prompt';
import { attachmentCost } from '../outline/cost.ts';
import { outlineWithin } from '../outline/fit.ts';
import type { LineNumbers } from '../outline/render.ts';
import type { OffsetRange } from '../outline/tree.ts';

/** The props of a source file that shrinks to its outline. */
export interface OutlinedFileProps extends BasePromptElementProps {
  path: string;
  text: string;
  /** What touches it is always shown, in UTF-16 code units. */
  selection?: OffsetRange;
  /** `omitted` if unset: each gap names its lines. */
  lineNumbers?: LineNumbers;
}

/**
 * A source file within its share of the budget: whole where it fits, else its outline, marked as partial. Where not even
 * the outline of a single definition fits, it is not there at all.
 *
 * @example
 * h(UserMessage, {}, h(OutlinedFile, { path: 'src/login.ts', text, priority: 5, flexGrow: 1 }));
 */
export async function OutlinedFile(props: OutlinedFileProps, sizing: PromptSizing): Promise<PromptPiece | undefined> {
  const { path, text, selection, lineNumbers = 'omitted' } = props;
  const count = async (piece: string) => await sizing.countTokens(piece);
  const framed = ({ inside, isPartial }: { readonly inside: string; readonly isPartial: boolean }) => {
    const partial = isPartial ? ' partial="outline"' : '';
    return `<file path=${JSON.stringify(path)}${partial}>\n${inside.replace(/\n$/, '')}\n</file>`;
  };
  const tokens = sizing.tokenBudget - (await count(framed({ inside: '', isPartial: true })));
  if (tokens <= 0) return undefined;
  const document = { path, text, ...(selection && { selection }) };
  const result = await outlineWithin({ documents: [document], tokens, count, lineNumbers, cost: attachmentCost });
  const [shown] = result.documents;
  if (!shown || shown.segments.length === 0 || (text !== '' && shown.text.trim() === '')) return undefined;
  return h(TextChunk, {}, framed({ inside: shown.text, isPartial: shown.isPartial }));
}
