import type { PromptPiece as OwnPiece, PromptElement } from '../element.ts';

/**
 * A class of elements. Constructors may take more than props; a renderer that creates elements itself supplies the
 * rest.
 */
export interface PromptElementCtor<P, S> {
  isFragment?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: every class fits, and the renderer that calls it knows what it takes.
  new (props: P, ...args: any[]): PromptElement<P, S>;
}

/**
 * Result of a JSX expression. Unnamed props may be read and written without type checks.
 *
 * @example
 * const ranked = (piece: PromptPiece) => piece.props.priority;
 */
// biome-ignore lint/suspicious/noExplicitAny: code that was written for prompt-tsx relies on it.
export type PromptPiece<P = any, S = any> = OwnPiece<P, S>;
