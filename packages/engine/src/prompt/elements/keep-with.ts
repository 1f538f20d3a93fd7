import type { BasePromptElementProps, PromptElementProps } from '../element.ts';
import { GroupElement } from './group.ts';

/** Distinguishes keep-withs; the number has no meaning. */
let nextId = 0;

/**
 * Base class of elements from `useKeepWith`.
 *
 * @example
 * const isKept = element instanceof AbstractKeepWith;
 */
export abstract class AbstractKeepWith extends GroupElement {
  abstract readonly id: number;
}

/** A class of elements that are kept or pruned together, from `useKeepWith`. */
export interface KeepWithCtor {
  readonly id: number;
  new (props: PromptElementProps<BasePromptElementProps>): AbstractKeepWith;
}

class KeepWith extends AbstractKeepWith {
  readonly id: number;

  constructor(props: PromptElementProps<BasePromptElementProps>, id: number) {
    super(props);
    this.id = id;
  }
}

/** Marks classes from `useKeepWith`, so that their elements can be created directly. */
const made: unique symbol = Symbol('keep-with');

/**
 * An element class whose instances are kept or pruned together: when one is pruned as a whole, so are the others and
 * every call that names it in `keepWith`.
 *
 * @example
 * const Pair = useKeepWith();
 * const call: ToolCall = { id: '1', type: 'function', function: { name: 'ls', arguments: '{}' }, keepWith: Pair };
 * h(Fragment, null, h(AssistantMessage, { toolCalls: [call] }), h(Pair, {}, h(ToolMessage, { toolCallId: '1' }, 'a b')));
 */
export function useKeepWith(): KeepWithCtor {
  const id = nextId++;
  // One class per pair of a long history would cost more than rendering it, so one class serves all.
  function Kept(props: PromptElementProps<BasePromptElementProps>): unknown {
    const target: unknown = new.target;
    return Reflect.construct(
      KeepWith,
      [props, id],
      (target === Kept ? undefined : (target as typeof KeepWith)) ?? KeepWith,
    );
  }
  const ctor = Object.defineProperty(Kept, 'name', named) as unknown as KeepWithCtor & { id: number; [made]?: true };
  ctor.id = id;
  ctor[made] = true;
  return ctor;
}

const named = { value: 'KeepWith' };

/** Creates an element of a keep-with; `undefined` for other classes. */
export function keepWithElement(ctor: unknown, props: BasePromptElementProps): AbstractKeepWith | undefined {
  const { id, [made]: isMade } = ctor as { readonly id: number; readonly [made]?: true };
  return isMade && Object.hasOwn(ctor as object, made) ? new KeepWith(props, id) : undefined;
}
