import type { PromptPiece, PromptPieceChild } from '../element.ts';
import { Fragment, type JSX, type Tag } from '../jsx.ts';
import type { PromptPiece as AnyPiece } from './piece.ts';

/**
 * The global factory of prompt-tsx: pieces are plain and mutable.
 *
 * @example
 * vscpp(UserMessage, { priority: 1 }, 'Hi');
 */
export function vscpp(ctor: Tag, props: unknown, ...children: PromptPieceChild[]): PromptPiece {
  return { ctor, props, children: children.flat() as PromptPieceChild[] };
}

/**
 * The global fragment of prompt-tsx.
 *
 * @example
 * vscpp(vscppf, null, vscpp(UserMessage, null, 'one'), vscpp(UserMessage, null, 'two'));
 */
export const vscppf: typeof Fragment = Fragment;

/** Aliases: a global cannot be declared by its own name. */
export type PieceFactory = typeof vscpp;
export type PieceFragment = typeof vscppf;

/** Aliases for the JSX types: inside a namespace `JSX`, a bundled declaration named `JSX` would refer to itself. */
export type PieceElement = AnyPiece;
export type PieceElementType = JSX.ElementType;
export type PieceIntrinsics = JSX.IntrinsicElements;
export type PieceChildrenAttribute = JSX.ElementChildrenAttribute;
export type PieceAttributes<C, P> = JSX.LibraryManagedAttributes<C, P>;

/** Called by the automatic runtime for a tag with several children. */
export function jsxs(ctor: Tag, { children, ...props }: { children?: PromptPieceChild }): PromptPiece {
  return vscpp(ctor, props, ...(children as PromptPieceChild[]));
}

/** Called by the automatic runtime for a tag with at most one child. */
export function jsx(ctor: Tag, { children, ...props }: { children?: PromptPieceChild }): PromptPiece {
  return children === undefined ? vscpp(ctor, props) : vscpp(ctor, props, children);
}

/** Called by the automatic runtime in development mode. */
export function jsxDEV(
  ctor: Tag,
  props: { children?: PromptPieceChild },
  _key: unknown,
  isStatic: boolean,
): PromptPiece {
  return isStatic ? jsxs(ctor, props) : jsx(ctor, props);
}
