import type { ChatCompletionContentPart } from './output/raw.ts';

/** Cancels a render: compatible with VS Code's token and with `{ isCancellationRequested: false }`. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
}

/** Progress reports of an element. */
export interface Progress<Part = unknown> {
  report(value: Part): void;
}

/** What a renderer needs to know about the model. */
export interface IChatEndpointInfo {
  /** Token limit of the prompt. */
  readonly modelMaxPromptTokens: number;
}

/** The budget of an element. */
export interface PromptSizing {
  /** A hint: the element's share of the remaining budget of its container. Not enforced while elements render. */
  readonly tokenBudget: number;
  readonly endpoint: IChatEndpointInfo;
  countTokens(text: ChatCompletionContentPart | string, token?: CancellationToken): Promise<number> | number;
}

/** Props of every element. */
export interface BasePromptElementProps {
  /** Rank among siblings for pruning; the lowest is pruned first. Default: the highest. */
  priority?: number;
  /** The element is transparent for pruning: its children compete with its siblings. */
  passPriority?: boolean;
  /** Weight of the element's share among siblings that render together; default: 1. */
  flexBasis?: number;
  /**
   * Render order: elements without it first, then from the highest number to the lowest, each with the remaining
   * budget.
   */
  flexGrow?: number;
  /**
   * Tokens that siblings rendering earlier must leave: a number, or `/N` for a fraction of the container's remaining
   * budget.
   */
  flexReserve?: number | `/${number}`;
}

/** Any element class, whatever its props. */
export interface AnyPromptElementCtor {
  isFragment?: boolean;
  new (props: never, ...args: never[]): PromptElement<BasePromptElementProps, unknown>;
}

/** A function component: for elements that need no `prepare`. */
export type PromptFunction<P = never> = (
  props: P,
  sizing: PromptSizing,
  progress?: Progress,
  token?: CancellationToken,
) => PromptPiece | undefined | Promise<PromptPiece | undefined>;

/** Props that the factory adds to the attributes. */
export interface RuntimePromptElementProps {
  children?: PromptPieceChild[];
}

/** The props of an element, including base props and children. */
export type PromptElementProps<T> = T & BasePromptElementProps & RuntimePromptElementProps;

/**
 * Result of a JSX expression: a class, function or name, its attributes and its children. The type parameter for the
 * state is not used.
 */
export interface PromptPiece<P = unknown, _State = unknown> {
  ctor: string | AnyPromptElementCtor | PromptFunction;
  props: P;
  children: PromptPieceChild[];
}

/** Valid children of an element. Lists may be nested. */
export type PromptPieceChild = number | string | boolean | null | undefined | PromptPiece | Iterable<PromptPieceChild>;

/**
 * One element of a prompt. `prepare` loads what it needs, knowing its share of the budget; `render` returns its
 * content.
 *
 * @example
 * class Greeting extends PromptElement<{ name: string }> {
 *   render() {
 *     return h(UserMessage, {}, `Hello ${this.props.name}`);
 *   }
 * }
 */
export abstract class PromptElement<P = BasePromptElementProps, S = void> {
  readonly props: PromptElementProps<P>;

  constructor(props: PromptElementProps<P>) {
    this.props = props;
  }

  get priority(): number {
    return this.props.priority ?? Number.MAX_SAFE_INTEGER;
  }

  get insertLineBreakBefore(): boolean {
    return true;
  }

  /** Loads what `render` needs. The elements of a flex group prepare concurrently. */
  prepare?(sizing: PromptSizing, progress?: Progress, token?: CancellationToken): Promise<S> | S;

  /** The content; `undefined` for none. */
  abstract render(
    state: S,
    sizing: PromptSizing,
    progress?: Progress,
    token?: CancellationToken,
  ): Promise<PromptPiece | undefined> | PromptPiece | undefined;
}
