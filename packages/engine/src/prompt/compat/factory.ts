import type { PromptPiece, PromptPieceChild } from '../element.ts';
import { Fragment, type JSX, type Tag } from '../jsx.ts';
import type { PromptPiece as AnyPiece } from './piece.ts';

/**
 * The factory of prompt-tsx, set as a global: pieces are plain and may be written to.
 *
 * @example
 * vscpp(UserMessage, { priority: 1 }, 'Hi');
 */
export function vscpp(ctor: Tag, props: unknown, ...children: PromptPieceChild[]): PromptPiece {
  return { ctor, props, children: children.flat() as PromptPieceChild[] };
}

/**
 * The fragment of prompt-tsx, set as a global.
 *
 * @example
 * vscpp(vscppf, null, vscpp(UserMessage, null, 'one'), vscpp(UserMessage, null, 'two'));
 */
export const vscppf: typeof Fragment = Fragment;

/** The two by other names: a global cannot be declared by its own. */
export type PieceFactory = typeof vscpp;
export type PieceFragment = typeof vscppf;

/** So have the types of JSX: inside a namespace `JSX`, one that the bundled declarations call `JSX` would mean itself. */
export type PieceElement = AnyPiece;
export type PieceElementType = JSX.ElementType;
export type PieceIntrinsics = JSX.IntrinsicElements;
export type PieceChildrenAttribute = JSX.ElementChildrenAttribute;
export type PieceAttributes<C, P> = JSX.LibraryManagedAttributes<C, P>;

/** As the automatic runtime calls it, for a tag with several children. */
export function jsxs(ctor: Tag, { children, ...props }: { children?: PromptPieceChild }): PromptPiece {
  return vscpp(ctor, props, ...(children as PromptPieceChild[]));
}

/** As the automatic runtime calls it, for a tag with at most one child. */
export function jsx(ctor: Tag, { children, ...props }: { children?: PromptPieceChild }): PromptPiece {
  return children === undefined ? vscpp(ctor, props) : vscpp(ctor, props, children);
}

/** As the automatic runtime calls it while developing. */
export function jsxDEV(
  ctor: Tag,
  props: { children?: PromptPieceChild },
  _key: unknown,
  isStatic: boolean,
): PromptPiece {
  return isStatic ? jsxs(ctor, props) : jsx(ctor, props);
}
