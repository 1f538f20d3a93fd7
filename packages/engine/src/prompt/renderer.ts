import { PromptCounter } from './count/counter.ts';
import type { CountMemory } from './count/memory.ts';
import type {
  BasePromptElementProps,
  CancellationToken,
  IChatEndpointInfo,
  Progress,
  PromptElement,
} from './element.ts';
import { cancelled } from './errors.ts';
import { type FittedPrompt, Fitter } from './fit/fit.ts';
import type { FitReport } from './fit-report.ts';
import type { PromptElementJSON } from './json-tree.ts';
import { makeElement } from './layout/function-element.ts';
import { PromptLayout } from './layout/layout.ts';
import type { LayoutNode } from './layout/node.ts';
import { writeElement } from './layout/write-json.ts';
import { type ModeToChatMessageType, type OutputMode, toMode } from './output/mode.ts';
import type * as Raw from './output/raw.ts';
import { MetadataMap, type PromptMetadata, ReferenceMetadata } from './results/metadata.ts';
import type { ChatDocumentContext, PromptReference } from './results/reference.ts';
import type { UriComponents } from './results/uri.ts';
import type { RenderRules } from './rules.ts';
import type { ITokenizer } from './tokenizer.ts';
import type { ITraceRenderData, ITracer } from './tracer/tracer.ts';
import { messagesOf } from './tree/messages.ts';
import type { Branch } from './tree/node.ts';

/** Result of a render. */
export interface RenderPromptResult<M extends OutputMode = OutputMode.Raw> {
  readonly messages: ModeToChatMessageType[M][];
  /** Token count of the messages; at most the budget. */
  readonly tokenCount: number;
  readonly hasIgnoredFiles: boolean;
  readonly metadata: MetadataMap;
  /** Sources of the prompt. */
  readonly references: PromptReference[];
  /** References that were pruned. */
  readonly omittedReferences: PromptReference[];
}

/** The same with a report of the fitting. */
export interface RawResult extends RenderPromptResult<OutputMode.Raw> {
  readonly report: FitReport;
}

/** A render with all of its settings. */
export interface RenderJob {
  readonly ctor: unknown;
  readonly props: unknown;
  readonly endpoint: IChatEndpointInfo;
  readonly tokenizer: ITokenizer;
  readonly rules: RenderRules;
  readonly tracer?: ITracer | undefined;
  readonly progress?: Progress | undefined;
  readonly token?: CancellationToken | undefined;
  readonly memory?: CountMemory | undefined;
  /** Whether the renderer itself checks the token. */
  readonly stopsWhenCancelled: boolean;
  readonly createElement?: (item: LayoutNode) => PromptElement<BasePromptElementProps, unknown>;
}

/** One render: layout, fitting, output. */
export class PromptRendering {
  readonly #job: RenderJob;
  readonly #counter: PromptCounter;
  readonly #layout: PromptLayout;

  constructor(job: RenderJob) {
    this.#job = job;
    this.#counter = new PromptCounter({ tokenizer: job.tokenizer, memory: job.memory });
    this.#layout = new PromptLayout({
      ctor: job.ctor,
      props: job.props,
      endpoint: job.endpoint,
      counter: this.#counter,
      rules: job.rules,
      tracer: job.tracer,
      progress: job.progress,
      token: job.token,
      check: () => {
        if (job.stopsWhenCancelled && job.token?.isCancellationRequested) throw cancelled();
      },
      createElement: job.createElement ?? makeElement,
    });
  }

  get usedContext(): ChatDocumentContext[] {
    return this.#layout.usedContext;
  }

  get ignoredFiles(): UriComponents[] {
    return this.#layout.ignoredFiles;
  }

  async json(): Promise<PromptElementJSON> {
    await this.#lay();
    return writeElement(this.#layout);
  }

  async raw(): Promise<RawResult> {
    await this.#lay();
    const budget = this.#job.endpoint.modelMaxPromptTokens;
    const fitter = new Fitter({ layout: this.#layout, counter: this.#counter });
    const { tracer, tokenizer } = this.#job;
    const trace = {
      budget,
      tokenizer,
      renderTree: async (other: number) => traced(await fitter.fit(other), other),
      fullTree: () => fitter.full().root,
      count: (container: Branch) => fitter.count(container),
    };
    const fitted = await fitter.fit(budget).catch((error: unknown) => {
      tracer?.didNotFit?.({ ...trace, error });
      throw error;
    });
    // Expandable elements render while the tree is fitted.
    this.#layout.input.check();
    tracer?.didMaterializeTree?.({ ...trace, renderedTree: traced(fitted, budget) });
    const { root } = fitted.tree;
    const messages = messagesOf(root);
    const remaining = fitted.tree.metadata();
    return {
      metadata: MetadataMap.from(remaining),
      messages,
      hasIgnoredFiles: this.#layout.ignoredFiles.length > 0,
      tokenCount: fitted.tokens,
      ...referencesOf({ all: fitted.allMetadata, remaining }),
      report: fitted.report,
    };
  }

  /** Check again: the token may have been canceled while the last element was awaited. */
  async #lay(): Promise<void> {
    await this.#layout.run();
    this.#layout.input.check();
  }
}

function traced({ tree, removed, pruned }: FittedPrompt, budget: number): ITraceRenderData {
  return { budget, container: tree.root, removed, pruned };
}

/** Messages in the mode of a tokenizer. */
export function inMode<M extends OutputMode>(
  mode: M,
  messages: readonly Raw.ChatMessage[],
): ModeToChatMessageType[M][] {
  return toMode(mode, messages);
}

/** References in the prompt, and those that were pruned. Variables are deduplicated by name. */
function referencesOf(of: { readonly all: readonly PromptMetadata[]; readonly remaining: readonly PromptMetadata[] }): {
  readonly references: PromptReference[];
  readonly omittedReferences: PromptReference[];
} {
  const named = new Set<string>();
  const kept = new Set(of.remaining);
  const gather = (metadata: readonly PromptMetadata[]) =>
    metadata.flatMap((each) => {
      if (!(each instanceof ReferenceMetadata)) return [];
      const { anchor } = each.reference;
      if (!('variableName' in anchor)) return [each.reference];
      if (named.has(anchor.variableName)) return [];
      named.add(anchor.variableName);
      return [each.reference];
    });
  const references = gather(of.remaining);
  return { references, omittedReferences: gather(of.all.filter((each) => !kept.has(each))) };
}
