import { Fragment } from '../jsx.ts';
import type { AnyPromptElementCtor, PromptPiece, PromptPieceChild } from '../piece.ts';

const ctor = Fragment as unknown as AnyPromptElementCtor;

/** Pieces without an element around them: what most elements render. Nothing is copied. */
export function group(children: PromptPieceChild[] | undefined): PromptPiece {
  return { ctor, props: null, children: children ?? [] };
}
