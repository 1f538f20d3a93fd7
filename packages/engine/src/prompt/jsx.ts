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

/** Valid tags: an intrinsic name, an element class, a function component. */
export type Tag = string | AnyPromptElementCtor | PromptFunction;

/**
 * A group without an element of its own: `<>...</>`.
 *
 * @example
 * h(Fragment, null, h(UserMessage, {}, 'one'), h(UserMessage, {}, 'two'));
 */
export function Fragment(_props: { readonly children?: PromptPieceChild }): never {
  throw new Error('This should not be invoked!');
}
Fragment.isFragment = true;

/**
 * Creates a piece: the factory of classic JSX, and the way to write a prompt without JSX. The piece and its props are
 * frozen, so it can be used several times.
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

/** Like `jsx`, for a tag with several children. */
export function jsxs(ctor: Tag, props: JsxProps): PromptPiece {
  const { children, ...rest } = props;
  return frozen({ ctor, props: rest, children: flat(children as PromptPieceChild[]) });
}

/** Called by the automatic JSX runtime for a tag with at most one child. */
export function jsx(ctor: Tag, props: JsxProps): PromptPiece {
  const { children, ...rest } = props;
  return frozen({ ctor, props: rest, children: children === undefined ? [] : flat([children]) });
}

/** Called by the automatic JSX runtime in development mode. */
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

/** Flattens lists among the children by one level; the renderer flattens the rest. */
function flat(children: PromptPieceChild[]): PromptPieceChild[] {
  return children.some(Array.isArray) ? (children.flat() as PromptPieceChild[]) : children;
}

/** The JSX types, in our own namespace: nothing is declared globally, so there is no conflict with React's. */
export declare namespace JSX {
  type Element = PromptPiece;
  type ElementClass = PromptElement<BasePromptElementProps, unknown>;
  type ElementType = keyof IntrinsicElements | AnyPromptElementCtor | PromptFunction;

  interface ElementChildrenAttribute {
    children: unknown;
  }

  /** Every element takes the base props and any children, whatever the first parameter of its constructor is. */
  type LibraryManagedAttributes<C, P> = C extends new (
    ...args: never[]
  ) => unknown
    ? Omit<P, 'children'> & BasePromptElementProps & { children?: PromptPieceChild }
    : P;

  interface IntrinsicElements {
    /** Metadata that is available in the result. `local`: only if its parent was not pruned. */
    meta: { value: PromptMetadata; local?: boolean };
    /** A line break. */
    br: object;
    /** Parts of documents that were used. */
    usedContext: { value: readonly ChatDocumentContext[] };
    /** Sources of the prompt, to be shown to the user. */
    references: { value: readonly PromptReference[] };
    /** Files that were ignored. */
    ignoredFiles: { value: readonly UriComponents[] };
    /** An element that was rendered to JSON elsewhere, optionally with another priority. */
    elementJSON: { data: PromptElementJSON; priority?: number };
    /** A value that is passed to the output unchanged. */
    opaque: { value: unknown; tokenUsage?: number; priority?: number; scope?: number };
    /** Marks where a provider may cache the prefix; a direct child of a message. */
    cacheBreakpoint: { type?: string };
  }
}
