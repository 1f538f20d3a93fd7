import { LonghaulError } from 'longhaul';
import type { BreakpointPolicy, ITokenizer, ITracer, PromptPiece, Raw } from 'longhaul/prompt';
import { reasonOf } from '../errors/file-errors.ts';

/** What came of a prompt. */
export interface RenderedPrompt {
  readonly messages: readonly Raw.ChatMessage[];
  readonly tokens: number;
  /** What was done to make it fit; prompt-tsx does not say. */
  readonly steps?: readonly object[];
  readonly references: number;
  readonly omittedReferences: number;
}

/**
 * Renders a prompt by the rules of the entry that it is written for.
 *
 * @example
 * const { messages } = await renderPrompt({ piece, isCompat: false, budget: 8000, tokenizer, name: 'agent.tsx' });
 */
export async function renderPrompt({
  piece,
  isCompat,
  budget,
  tokenizer,
  tracer,
  breakpoints,
  name,
}: {
  readonly piece: PromptPiece;
  readonly isCompat: boolean;
  readonly budget: number;
  readonly tokenizer: ITokenizer<1>;
  readonly tracer?: ITracer;
  readonly breakpoints?: BreakpointPolicy;
  readonly name: string;
}): Promise<RenderedPrompt> {
  try {
    if (isCompat) return await asOriginal({ piece, budget, tokenizer, tracer });
    const { render } = await import('longhaul/prompt');
    const rendered = await render({
      ...{ element: piece, budget, tokenizer },
      ...(tracer && { tracer }),
      ...(breakpoints && { breakpoints }),
    });
    const { messages, tokenCount: tokens, report, references, omittedReferences } = rendered;
    return {
      ...{ messages, tokens, steps: report.steps },
      ...{ references: references.length, omittedReferences: omittedReferences.length },
    };
  } catch (error) {
    if (LonghaulError.is(error)) throw error;
    throw new LonghaulError({
      code: 'prompt-failed',
      message: `${name} failed while it was rendered: ${reasonOf(error)}.`,
      hint: 'Mend the element that the sentence names; --debug shows where it happened.',
      cause: error,
    });
  }
}

async function asOriginal({
  piece,
  budget,
  tokenizer,
  tracer,
}: {
  readonly piece: PromptPiece;
  readonly budget: number;
  readonly tokenizer: ITokenizer<1>;
  readonly tracer: ITracer | undefined;
}): Promise<RenderedPrompt> {
  const { PromptElement, PromptRenderer } = await import('longhaul/prompt/compat');
  class Prompt extends PromptElement {
    override render(): PromptPiece {
      return piece;
    }
  }
  const renderer = new PromptRenderer({ modelMaxPromptTokens: budget }, Prompt as never, {}, tokenizer);
  renderer.tracer = tracer;
  const { messages, tokenCount: tokens, references, omittedReferences } = await renderer.render();
  return { messages, tokens, references: references.length, omittedReferences: omittedReferences.length };
}
