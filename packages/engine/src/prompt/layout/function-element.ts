import {
  type AnyPromptElementCtor,
  type BasePromptElementProps,
  type CancellationToken,
  type Progress,
  PromptElement,
  type PromptFunction,
  type PromptPiece,
  type PromptSizing,
} from '../element.ts';
import { keepWithElement } from '../elements/keep-with.ts';

/** A function component as an element. */
export class FunctionElement extends PromptElement<BasePromptElementProps, unknown> {
  readonly called: PromptFunction;

  constructor({ called, props }: { readonly called: PromptFunction; readonly props: BasePromptElementProps }) {
    super(props);
    this.called = called;
  }

  override render(
    _state: unknown,
    sizing: PromptSizing,
    progress?: Progress,
    token?: CancellationToken,
  ): PromptPiece | undefined | Promise<PromptPiece | undefined> {
    return this.called(this.props as never, sizing, progress, token);
  }
}

/** Creates the element of a piece. */
export function makeElement(of: {
  readonly ctor: unknown;
  readonly props: BasePromptElementProps;
}): PromptElement<BasePromptElementProps, unknown> {
  const kept = keepWithElement(of.ctor, of.props);
  if (kept) return kept as unknown as PromptElement<BasePromptElementProps, unknown>;
  if (!isClass(of.ctor)) return new FunctionElement({ called: of.ctor as PromptFunction, props: of.props });
  const { ctor: Element } = of as { readonly ctor: AnyPromptElementCtor };
  return new Element(of.props as never);
}

function isClass(ctor: unknown): boolean {
  const { prototype } = ctor as { readonly prototype?: { readonly render?: unknown } };
  return prototype instanceof PromptElement || typeof prototype?.render === 'function';
}
