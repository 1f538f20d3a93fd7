import type { BasePromptElementProps, PromptPiece, PromptSizing } from '../element.ts';
import { cutText } from '../elements/cut-text.ts';
import { ToolMessage } from '../elements/messages.ts';
import { h } from '../jsx.ts';

/** Props of a tool's output: `toolCallId` names the call. */
export interface ToolOutputProps extends BasePromptElementProps {
  toolCallId: string;
  text: string;
  /** Token limit; default: 2,000. */
  max?: number;
  /** Which end to keep; default: both, since the start has what was requested and the end has the outcome. */
  keep?: 'head' | 'tail' | 'both';
  /** Adds a cache breakpoint after it: for the last result of a round. */
  cached?: boolean;
}

/** Breaks at line ends, and inside very long lines. */
const breaks = /\n|[^\n]{400}/gu;

/**
 * The output of a tool within a token limit. Longer output is cut in the middle, between lines if possible. The cut
 * depends on the limit alone, not on the rest of the prompt, so it is the same in every request.
 *
 * @example
 * h(ToolOutput, { toolCallId: 'call_1', text, max: 500 });
 */
export async function ToolOutput(props: ToolOutputProps, sizing: PromptSizing): Promise<PromptPiece> {
  const { toolCallId, text, max = 2000, keep = 'both', cached = false } = props;
  const mark = keep === 'both' ? '\n… cut …' : keep === 'head' ? '\n… the rest was cut' : '… the start was cut …';
  const count = (piece: string) => sizing.countTokens(piece);
  const kept = await cutText({ text, rule: new RegExp(breaks), budget: max, count, keep, mark });
  const breakpoint = cached && h('cacheBreakpoint', { type: 'ephemeral' });
  return h(ToolMessage, { toolCallId }, kept === '' ? '(nothing)' : kept, breakpoint);
}
