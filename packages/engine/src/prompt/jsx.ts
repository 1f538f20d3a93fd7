import type {
  AnyPromptElementCtor,
  BasePromptElementProps,
  PromptElement,
  PromptFunction,
  PromptPiece,
  PromptPieceChild,
} from './element.ts';
import type { PromptElementJSON } from './json-tree.ts';
import type { PromptMetadata } from './results/metadata.ts';
import type { ChatDocumentContext, PromptReference } from './results/reference.ts';
import type { UriComponents } from './results/uri.ts';

/** What may be written as a tag: an intrinsic's name, a class of elements, a function of props. */
export type Tag = string | AnyPromptElementCtor | PromptFunction;

/**
 * The mark of a group without an element of its own: `<>...</>`.
 *
 * @example
 * h(Fragment, null, h(UserMessage, {}, 'one'), h(UserMessage, {}, 'two'));
 */
export function Fragment(_props: { readonly children?: PromptPieceChild }): never {
  throw new Error('This should not be invoked!');
}
Fragment.isFragment = true;

/**
 * Makes a piece; the factory of classic JSX, and the way to write a prompt without JSX. The piece and its props are
 * frozen: they may stand in several places.
 *
 * @example
 * const piece = h(UserMessage, { priority: 10 }, 'How do I ', h('br'), 'exit vim?');
 */
export function h<Name extends keyof JSX.IntrinsicElements>(
  ctor: Name,
  props?: JSX.IntrinsicElements[Name] | null,
  ...children: PromptPieceChild[]
): PromptPiece;
export function h<P>(
  ctor: (new (props: P, ...args: never[]) => unknown) | PromptFunction<P>,
  props?: (Partial<Omit<P, 'children'>> & BasePromptElementProps) | null,
  ...children: PromptPieceChild[]
): PromptPiece;
export function h(ctor: unknown, props: object | null = null, ...children: PromptPieceChild[]): PromptPiece {
  return frozen({ ctor: ctor as Tag, props: { ...props }, children: flat(children) });
}

/** As `jsx`, for a tag with several children. */
export function jsxs(ctor: Tag, props: JsxProps): PromptPiece {
  const { children, ...rest } = props;
  return frozen({ ctor, props: rest, children: flat(children as PromptPieceChild[]) });
}

/** What the automatic JSX runtime calls for a tag with at most one child. */
export function jsx(ctor: Tag, props: JsxProps): PromptPiece {
  const { children, ...rest } = props;
  return frozen({ ctor, props: rest, children: children === undefined ? [] : flat([children]) });
}

/** What the automatic JSX runtime calls while developing. */
export function jsxDEV(ctor: Tag, props: JsxProps, _key: unknown, isStatic: boolean): PromptPiece {
  return isStatic ? jsxs(ctor, props) : jsx(ctor, props);
}

interface JsxProps {
  readonly children?: PromptPieceChild;
}

function frozen(piece: PromptPiece): PromptPiece {
  Object.freeze(piece.props);
  Object.freeze(piece.children);
  return Object.freeze(piece);
}

/** Lists among the children are opened one level; the renderer opens the rest. */
function flat(children: PromptPieceChild[]): PromptPieceChild[] {
  return children.some(Array.isArray) ? (children.flat() as PromptPieceChild[]) : children;
}

/** The types of JSX, in a namespace of our own: nothing is declared globally, so React's may stand beside them. */
export declare namespace JSX {
  type Element = PromptPiece;
  type ElementClass = PromptElement<BasePromptElementProps, unknown>;
  type ElementType = keyof IntrinsicElements | AnyPromptElementCtor | PromptFunction;

  interface ElementChildrenAttribute {
    children: unknown;
  }

  /** Every element takes the base props and any children, whatever its constructor's first parameter says. */
  type LibraryManagedAttributes<C, P> = C extends new (
    ...args: never[]
  ) => unknown
    ? Omit<P, 'children'> & BasePromptElementProps & { children?: PromptPieceChild }
    : P;

  interface IntrinsicElements {
    /** Something to be found in the result after the render. `local`: only if what it stands in is still there. */
    meta: { value: PromptMetadata; local?: boolean };
    /** A line break. */
    br: object;
    /** Which parts of documents were used. */
    usedContext: { value: readonly ChatDocumentContext[] };
    /** What the prompt rests on, to be shown to a person. */
    references: { value: readonly PromptReference[] };
    /** Files that were left out. */
    ignoredFiles: { value: readonly UriComponents[] };
    /** An element that was rendered to JSON elsewhere, with another priority than its own if one is given. */
    elementJSON: { data: PromptElementJSON; priority?: number };
    /** A value for the output, as it is. */
    opaque: { value: unknown; tokenUsage?: number; priority?: number; scope?: number };
    /** Where a provider may cache what comes before; a direct child of a message. */
    cacheBreakpoint: { type?: string };
  }
}
