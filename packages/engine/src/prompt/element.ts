import type { ChatCompletionContentPart } from './output/raw.ts';

/** What stops a render from outside: VS Code's token fits, and so does `{ isCancellationRequested: false }`. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
}

/** Where an element may tell a person how far it is. */
export interface Progress<Part = unknown> {
  report(value: Part): void;
}

/** What a renderer has to know of the model. */
export interface IChatEndpointInfo {
  /** The most tokens the prompt may have. */
  readonly modelMaxPromptTokens: number;
}

/** What an element is told about the room it has. */
export interface PromptSizing {
  /** A hint: the element's share of what its container has left. Nothing enforces it while elements render. */
  readonly tokenBudget: number;
  readonly endpoint: IChatEndpointInfo;
  countTokens(text: ChatCompletionContentPart | string, token?: CancellationToken): Promise<number> | number;
}

/** The props that every element takes. */
export interface BasePromptElementProps {
  /** The rank among siblings when something has to go; the lowest goes first. Unset is the highest there is. */
  priority?: number;
  /** The element dissolves for pruning: its children compete with its siblings. */
  passPriority?: boolean;
  /** The weight of the element's share among the siblings that render together with it; 1 if unset. */
  flexBasis?: number;
  /** When to render: without it first, then from the highest number to the lowest, each with what is left. */
  flexGrow?: number;
  /** What siblings that render earlier must leave: tokens, or `/N` for the Nth part of what the container has left. */
  flexReserve?: number | `/${number}`;
}

/** Any class of elements, whatever its props are. */
export interface AnyPromptElementCtor {
  isFragment?: boolean;
  new (props: never, ...args: never[]): PromptElement<BasePromptElementProps, unknown>;
}

/** A function of props as an element: for whatever needs no `prepare`. */
export type PromptFunction<P = never> = (
  props: P,
  sizing: PromptSizing,
  progress?: Progress,
  token?: CancellationToken,
) => PromptPiece | undefined | Promise<PromptPiece | undefined>;

/** What a factory gives the renderer besides what was written as attributes. */
export interface RuntimePromptElementProps {
  children?: PromptPieceChild[];
}

/** The props of an element as it sees them. */
export type PromptElementProps<T> = T & BasePromptElementProps & RuntimePromptElementProps;

/**
 * What JSX compiles to: a class, a function or a name, its attributes, and what stands inside. The state of the element
 * may be named; a piece does not say it.
 */
export interface PromptPiece<P = unknown, _State = unknown> {
  ctor: string | AnyPromptElementCtor | PromptFunction;
  props: P;
  children: PromptPieceChild[];
}

/** What may stand inside an element. Lists may be nested. */
export type PromptPieceChild = number | string | boolean | null | undefined | PromptPiece | Iterable<PromptPieceChild>;

/**
 * One element of a prompt. `prepare` fetches what it needs, knowing its share of the budget; `render` says what stands in
 * the prompt.
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

  /** Fetches what `render` needs. The elements of a flex group prepare at the same time. */
  prepare?(sizing: PromptSizing, progress?: Progress, token?: CancellationToken): Promise<S> | S;

  /** What stands in the prompt; `undefined` for nothing. */
  abstract render(
    state: S,
    sizing: PromptSizing,
    progress?: Progress,
    token?: CancellationToken,
  ): Promise<PromptPiece | undefined> | PromptPiece | undefined;
}
