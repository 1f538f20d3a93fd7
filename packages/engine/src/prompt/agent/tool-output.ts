import type { BasePromptElementProps, PromptPiece, PromptSizing } from '../element.ts';
import { cutText } from '../elements/cut-text.ts';
import { ToolMessage } from '../elements/messages.ts';
import { h } from '../jsx.ts';

/** The props of a tool's output: `toolCallId` names the call it answers. */
export interface ToolOutputProps extends BasePromptElementProps {
  toolCallId: string;
  text: string;
  /** The most tokens of it that are told; 2,000 if unset. */
  max?: number;
  /** Which end is kept; both if unset: what was asked for stands first, how it ended stands last. */
  keep?: 'head' | 'tail' | 'both';
  /** A cache breakpoint behind it: for the last result of a round. */
  cached?: boolean;
}

/** Lines, and pieces of lines that are longer than anybody reads. */
const breaks = /\n|[^\n]{400}/gu;

/**
 * What a tool answered, in no more than so many tokens. What is too long is cut in the middle, between lines where there
 * are any. The cut depends on the cap alone and not on what else is in the prompt, so it is the same in every request.
 *
 * @example
 * h(ToolOutput, { toolCallId: 'call_1', text: log, max: 500 });
 */
export async function ToolOutput(props: ToolOutputProps, sizing: PromptSizing): Promise<PromptPiece> {
  const { toolCallId, text, max = 2000, keep = 'both', cached = false } = props;
  const mark = keep === 'both' ? '\n… cut …' : keep === 'head' ? '\n… the rest is cut' : '… the beginning is cut …';
  const count = (piece: string) => sizing.countTokens(piece);
  const kept = await cutText({ text, rule: new RegExp(breaks), budget: max, count, keep, mark });
  const breakpoint = cached && h('cacheBreakpoint', { type: 'ephemeral' });
  return h(ToolMessage, { toolCallId }, kept === '' ? '(nothing)' : kept, breakpoint);
}
