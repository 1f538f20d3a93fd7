import {
  type AnyPromptElementCtor,
  type BasePromptElementProps,
  PromptElement,
  type PromptPiece,
  type PromptPieceChild,
} from '../element.ts';
import { Fragment } from '../jsx.ts';

const ctor = Fragment as unknown as AnyPromptElementCtor;

/** Pieces without an element around them: what most elements render. Nothing is copied. */
export function group(children: PromptPieceChild[] | undefined): PromptPiece {
  return { ctor, props: null, children: children ?? [] };
}

/** An element that renders its children. The renderer uses them directly, without calling `render`. */
export abstract class GroupElement<P = BasePromptElementProps> extends PromptElement<P> {
  override render(): PromptPiece {
    return group(this.props.children);
  }
}
