import type { PromptPiece, PromptPieceChild } from '../piece.ts';

/** What stands in an element once fragments and lists are opened: texts and pieces. */
export type Flat = string | PromptPiece;

/** Opens fragments and lists. `allowsNull`: whether `null` is nothing; in prompt-tsx it is a TypeError (editor.md 1.1). */
export function flatten(child: PromptPieceChild, allowsNull: boolean, into: Flat[] = []): Flat[] {
  if (typeof child === 'string') into.push(child);
  else if (child === undefined || typeof child === 'boolean') return into;
  else if (typeof child === 'number') into.push(String(child));
  else if (child === null && allowsNull) return into;
  else if (isFragment(child)) flattenAll(child.children, allowsNull, into);
  else if (isIterable(child)) flattenAll(child, allowsNull, into);
  else into.push(child as unknown as PromptPiece);
  return into;
}

export function flattenAll(children: Iterable<PromptPieceChild>, allowsNull: boolean, into: Flat[] = []): Flat[] {
  for (const child of children) {
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
