import type {
  BasePromptElementProps,
  CancellationToken,
  Progress,
  PromptElementProps,
  PromptPiece,
  PromptSizing,
} from './piece.ts';

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
