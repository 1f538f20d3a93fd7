import type { CountMemory } from './count/memory.ts';
import {
  type CancellationToken,
  type Progress,
  PromptElement,
  type PromptElementProps,
  type PromptPiece,
} from './element.ts';
import { group } from './elements/group.ts';
import { badBudget } from './errors.ts';
import type { FitReport } from './fit-report.ts';
import type { PromptElementJSON } from './json-tree.ts';
import type { OutputMode } from './output/mode.ts';
import { inMode, PromptRendering, type RenderPromptResult } from './renderer.ts';
import type { ChatDocumentContext } from './results/reference.ts';
import type { UriComponents } from './results/uri.ts';
import { type BreakpointPolicy, ownRules } from './rules.ts';
import type { ITokenizer } from './tokenizer.ts';
import type { ITracer } from './tracer/tracer.ts';

/** Input of `render`. */
export interface RenderInput<M extends OutputMode = OutputMode> {
  /** A piece, from JSX or `h`. */
  readonly element: PromptPiece;
  /** Token limit of the messages. */
  readonly budget: number;
  readonly tokenizer: ITokenizer<M>;
  /** What to do when a breakpoint protects what should be pruned; default: `prune-after`. */
  readonly breakpoints?: BreakpointPolicy;
  /** Counts of earlier renders with the same tokenizer. */
  readonly memory?: CountMemory;
  readonly tracer?: ITracer;
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
}

/** The messages, and how they were made to fit. */
export interface RenderResult<M extends OutputMode = OutputMode> extends RenderPromptResult<M> {
  readonly usedContext: readonly ChatDocumentContext[];
  readonly ignoredFiles: readonly UriComponents[];
  readonly report: FitReport;
}

/**
 * Renders a prompt to messages that fit a budget. Throws a `BudgetExceededError` if that is impossible.
 *
 * @example
 * const element = h(Fragment, null, h(SystemMessage, {}, 'Be brief.'), h(UserMessage, { priority: 1 }, 'Why is the build red?'));
 * const { messages, tokenCount } = await render({ element, budget: 8000, tokenizer });
 */
export async function render<M extends OutputMode>(input: RenderInput<M>): Promise<RenderResult<M>> {
  const rendering = renderingOf(input);
  const result = await rendering.raw();
  return {
    ...result,
    messages: inMode(input.tokenizer.mode, result.messages),
    usedContext: rendering.usedContext,
    ignoredFiles: [...new Set(rendering.ignoredFiles)],
  };
}

/**
 * Renders an element to JSON that another prompt can embed with `elementJSON`. The budget is a hint; nothing is pruned
 * and nothing is lost.
 *
 * @example
 * const data = await renderJSON({ element: h(TextChunk, {}, text), budget: 2000, tokenizer });
 * h(ToolMessage, { toolCallId: '1' }, h('elementJSON', { data }));
 */
export async function renderJSON(input: RenderInput): Promise<PromptElementJSON> {
  return renderingOf(input).json();
}

function renderingOf<M extends OutputMode>(input: RenderInput<M>): PromptRendering {
  const { element, budget, tokenizer, breakpoints = 'prune-after', memory, tracer, progress, signal } = input;
  if (typeof budget !== 'number' || !(budget >= 0)) throw badBudget(budget);
  return new PromptRendering({
    ctor: Prompt,
    props: { piece: element },
    endpoint: { modelMaxPromptTokens: budget },
    tokenizer: tokenizer as unknown as ITokenizer,
    rules: ownRules({ breakpoints }),
    tracer,
    progress,
    token: signal && tokenOf(signal),
    memory,
    stopsWhenCancelled: true,
  });
}

/** The root element: the given piece may be a fragment or a message. */
class Prompt extends PromptElement<PromptElementProps<{ piece: PromptPiece }>> {
  override render(): PromptPiece {
    return group([this.props.piece]);
  }
}

function tokenOf(signal: AbortSignal): CancellationToken {
  return {
    get isCancellationRequested() {
      return signal.aborted;
    },
  };
}
