import type { PromptPiece, PromptPieceChild } from '../element.ts';

/** A child after flattening fragments and lists: text or a piece. */
export type FlatChild = string | PromptPiece;

/**
 * Flattens fragments and lists. `allowsNull`: whether `null` is ignored; in prompt-tsx it is a TypeError (editor.md
 * 1.1).
 */
function flatten(child: PromptPieceChild | Template, allowsNull: boolean, into: FlatChild[] = []): FlatChild[] {
  if (typeof child === 'string') into.push(child);
  else if (child === undefined || typeof child === 'boolean') return into;
  else if (typeof child === 'number') into.push(String(child));
  else if (child === null && allowsNull) return into;
  else if (isFragment(child)) flattenAll(child.children, allowsNull, into);
  else if (isIterable(child)) flattenAll(child, allowsNull, into);
  else into.push(child as unknown as PromptPiece);
  return into;
}

/** What an element renders: a piece, or its children unchanged. */
export type Template = PromptPiece | readonly PromptPieceChild[];

/** The children of a template, if known without flattening. */
export function childrenOf(template: Template): readonly PromptPieceChild[] | undefined {
  if (isList(template)) return template;
  return isFragment(template) && isList(template.children) ? template.children : undefined;
}

/** The flattened output of an element; usually nothing has to be flattened, and it is returned unchanged. */
export function flatTemplate(template: Template, allowsNull: boolean): readonly FlatChild[] {
  const children = childrenOf(template);
  return children?.every(isFlat) ? (children as readonly FlatChild[]) : flatten(template, allowsNull);
}

function isList(value: unknown): value is readonly PromptPieceChild[] {
  return Array.isArray(value);
}

/** Whether a child is a piece to be created as an element. */
export function isElement(child: PromptPieceChild): child is PromptPiece {
  return typeof child !== 'string' && isFlat(child) && typeof (child as PromptPiece).ctor !== 'string';
}

function isFlat(child: PromptPieceChild): boolean {
  if (typeof child === 'string') return true;
  return typeof child === 'object' && child !== null && !isFragment(child) && !isIterable(child);
}

export function flattenAll(
  children: Iterable<PromptPieceChild>,
  allowsNull: boolean,
  into: FlatChild[] = [],
): FlatChild[] {
  if (!Array.isArray(children)) return flattenAll([...children], allowsNull, into);
  for (let at = 0; at < children.length; at += 1) {
    const child = children[at] as PromptPieceChild;
    if (typeof child === 'string') into.push(child);
    else flatten(child, allowsNull, into);
  }
  return into;
}

function isFragment(child: PromptPiece | Iterable<PromptPieceChild> | null): child is PromptPiece {
  const { ctor } = child as PromptPiece;
  return typeof ctor === 'function' && ((ctor as { readonly isFragment?: boolean }).isFragment ?? false);
}

function isIterable(child: PromptPiece | Iterable<PromptPieceChild> | null): child is Iterable<PromptPieceChild> {
  return typeof (child as Iterable<PromptPieceChild>)[Symbol.iterator] === 'function';
}
