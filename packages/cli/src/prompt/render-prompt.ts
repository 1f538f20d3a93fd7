import { LonghaulError } from 'longhaul';
import type { BreakpointPolicy, ITokenizer, ITracer, PromptPiece, Raw } from 'longhaul/prompt';
import { reasonOf } from '../errors/file-errors.ts';
import { isRecord } from '../input/is-record.ts';

/** A rendered prompt. */
export interface RenderedPrompt {
  readonly messages: readonly Raw.ChatMessage[];
  readonly tokens: number;
  /** What was done to make it fit; prompt-tsx does not report it. */
  readonly steps?: readonly object[];
  readonly references: number;
  readonly omittedReferences: number;
}

/**
 * Renders a prompt by the rules of the entry it is written for.
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
      element: piece,
      budget,
      tokenizer,
      ...(tracer && { tracer }),
      ...(breakpoints && { breakpoints }),
    });
    const { messages, tokenCount: tokens, report, references, omittedReferences } = rendered;
    return {
      messages,
      tokens,
      steps: report.steps,
      references: references.length,
      omittedReferences: omittedReferences.length,
    };
  } catch (error) {
    if (LonghaulError.is(error)) throw error;
    throw new LonghaulError({
      code: 'prompt-failed',
      message: `${name} failed to render: ${reasonOf(error)}.`,
      hint: 'Fix the element that the message names; --debug shows where it happened.',
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

/**
 * Finds the prompt among the exports of a file: the default export, or `prompt`. It is an element, or a class or function
 * that creates one from its props.
 *
 * @example
 * const piece = await findPrompt({ name: 'agent.tsx', exports, props: undefined });
 */
export async function findPrompt({
  name,
  exports,
  props,
}: {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Overrides the file's export `props`. */
  readonly props: Readonly<Record<string, unknown>> | undefined;
}): Promise<PromptPiece> {
  const found = await (exports.default ?? exports.prompt);
  if (isPiece(found)) return found;
  if (typeof found === 'function') {
    const exported = await exports.props;
    const given = props ?? (isRecord(exported) ? exported : {});
    return { ctor: found as PromptPiece['ctor'], props: { ...given }, children: [] };
  }
  const others = Object.keys(exports).filter((each) => each !== 'props');
  throw new LonghaulError({
    code: 'prompt-not-found',
    message:
      found === undefined
        ? `${name} exports no prompt${others.length > 0 ? `, only ${others.slice(0, 5).join(', ')}` : ''}.`
        : `The prompt that ${name} exports is neither an element nor a class nor a function.`,
    hint: 'Export it as default or as `prompt`: an element, or a class or function that creates one.',
  });
}

function isPiece(value: unknown): value is PromptPiece {
  return isRecord(value) && 'ctor' in value && 'props' in value && Array.isArray(value.children);
}
