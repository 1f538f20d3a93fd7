import type { PromptPiece as OwnPiece } from '../piece.ts';

/**
 * What JSX compiles to. Props that are not named may be read and written without a check.
 *
 * @example
 * const ranked = (piece: PromptPiece) => piece.props.priority;
 */
// biome-ignore lint/suspicious/noExplicitAny: code that was written for prompt-tsx relies on it.
export type PromptPiece<P = any, S = any> = OwnPiece<P, S>;
