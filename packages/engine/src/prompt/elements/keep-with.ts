import type { BasePromptElementProps, PromptElementProps } from '../element.ts';
import { GroupElement } from './group.ts';

/** Only tells one keep-with from another; nothing depends on the number itself. */
let nextId = 0;

/**
 * What `useKeepWith` makes elements of.
 *
 * @example
 * const isKept = element instanceof AbstractKeepWith;
 */
export abstract class AbstractKeepWith extends GroupElement {
  abstract readonly id: number;
}

/** A class of elements that stay and go together, as `useKeepWith` makes it. */
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

/** Marks what `useKeepWith` made, so that its elements can be made without going through it. */
const made: unique symbol = Symbol('keep-with');

/**
 * An element whose instances stay or go together: when one of them is pruned whole, so are the others, and every call
 * that names it in `keepWith`.
 *
 * @example
 * const Pair = useKeepWith();
 * const call = { id: '1', type: 'function', function: { name: 'ls', arguments: '{}' }, keepWith: Pair };
 * h(Fragment, null, h(AssistantMessage, { toolCalls: [call] }), h(Pair, {}, h(ToolMessage, { toolCallId: '1' }, 'a b')));
 */
export function useKeepWith(): KeepWithCtor {
  const id = nextId++;
  // A class for each pair of a long history costs more than rendering it: one class serves them all.
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

/** Makes an element of a keep-with; `undefined` if it is none. */
export function keepWithElement(ctor: unknown, props: BasePromptElementProps): AbstractKeepWith | undefined {
  const { id, [made]: isMade } = ctor as { readonly id: number; readonly [made]?: true };
  return isMade && Object.hasOwn(ctor as object, made) ? new KeepWith(props, id) : undefined;
}
