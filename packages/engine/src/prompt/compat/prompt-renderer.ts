import type { CountMemory } from '../count/memory.ts';
import type { CancellationToken, IChatEndpointInfo, Progress, PromptElement, PromptPieceChild } from '../element.ts';
import type { PromptElementJSON } from '../json-tree.ts';
import type { Tag } from '../jsx.ts';
import { makeElement } from '../layout/function-element.ts';
import type { LayoutNode } from '../layout/node.ts';
import type { OutputMode } from '../output/mode.ts';
import { inMode, PromptRendering, type RenderPromptResult } from '../renderer.ts';
import type { ChatDocumentContext } from '../results/reference.ts';
import type { Uri } from '../results/uri.ts';
import { compatRules } from '../rules.ts';
import type { ITokenizer } from '../tokenizer.ts';
import type { ITracer } from '../tracer/tracer.ts';
import type { PromptElementCtor } from './piece.ts';

/** An element to be created, as passed to `createElement`. */
export interface QueueItem<C, P> {
  /** Classes from the root to this one. */
  path: Tag[];
  node: LayoutNode;
  ctor: C;
  props: P;
  children: PromptPieceChild[];
}

/**
 * Renders one element, once. Subclasses may override `createElement` to pass more than props to constructors.
 *
 * @example
 * const renderer = new PromptRenderer({ modelMaxPromptTokens: 8000 }, Question, { question: 'Why?' }, tokenizer);
 * const { messages, tokenCount } = await renderer.render();
 */
export class PromptRenderer<P, M extends OutputMode> {
  tracer: ITracer | undefined = undefined;
  /** Extension: counts of earlier renders with the same tokenizer. */
  memory: CountMemory | undefined = undefined;
  readonly #endpoint: IChatEndpointInfo;
  readonly #ctor: PromptElementCtor<P, unknown> | unknown;
  readonly #props: P;
  readonly #tokenizer: ITokenizer<M>;
  #rendering: PromptRendering | undefined;

  constructor(endpoint: IChatEndpointInfo, ctor: PromptElementCtor<P, unknown>, props: P, tokenizer: ITokenizer<M>) {
    this.#endpoint = endpoint;
    this.#ctor = ctor;
    this.#props = props;
    this.#tokenizer = tokenizer;
  }

  /** The original files: URI components alone have no `fsPath`. */
  getIgnoredFiles(): Uri[] {
    return [...new Set(this.#rendering?.ignoredFiles)] as Uri[];
  }

  getUsedContext(): ChatDocumentContext[] {
    return this.#rendering?.usedContext ?? [];
  }

  /** The element as JSON, to be embedded in another prompt. Nothing is pruned. */
  renderElementJSON(token?: CancellationToken): Promise<PromptElementJSON> {
    return this.#start({ token }).json();
  }

  /** The messages in the mode of the tokenizer. */
  async render(progress?: Progress, token?: CancellationToken): Promise<RenderPromptResult<M>> {
    const result = await this.renderRaw(progress, token);
    return { ...result, messages: inMode(this.#tokenizer.mode, result.messages) };
  }

  /** The messages in provider-independent form. */
  async renderRaw(progress?: Progress, token?: CancellationToken): Promise<RenderPromptResult<OutputMode.Raw>> {
    const { report: _, ...result } = await this.#start({ progress, token }).raw();
    return result;
  }

  protected createElement(element: QueueItem<PromptElementCtor<P, unknown>, P>): PromptElement<P, unknown> {
    return makeElement(element as never) as PromptElement<P, unknown>;
  }

  #start({
    progress,
    token,
  }: {
    progress?: Progress | undefined;
    token?: CancellationToken | undefined;
  }): PromptRendering {
    this.#rendering = new PromptRendering({
      ctor: this.#ctor,
      props: this.#props,
      endpoint: this.#endpoint,
      tokenizer: this.#tokenizer as unknown as ITokenizer,
      rules: compatRules,
      tracer: this.tracer,
      memory: this.memory,
      progress,
      token,
      stopsWhenCancelled: false,
      ...(this.createElement !== PromptRenderer.prototype.createElement && {
        createElement: (node: LayoutNode) => this.#create(node) as PromptElement<never, unknown>,
      }),
    });
    return this.#rendering;
  }

  /** A separate, copyable item; writes to it apply to the node. */
  #create(node: LayoutNode): PromptElement<P, unknown> {
    const { path, ctor, props, children } = node;
    const item = { path, node, ctor, props, children } as unknown as QueueItem<PromptElementCtor<P, unknown>, P>;
    const element = this.createElement(item);
    Object.assign(node, { ctor: item.ctor, props: item.props });
    return element;
  }
}
