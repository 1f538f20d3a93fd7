import { type BasePromptElementProps, PromptElement, type PromptPiece, type PromptPieceChild } from '../element.ts';
import { group } from './group.ts';
import { TextChunk } from './text-chunk.ts';

/** The props of a list whose children get priorities by their order. */
export interface PrioritizedListProps extends BasePromptElementProps {
  /** What the priorities of the children are counted from; 0 if unset. */
  priority?: number;
  /** Whether the first child is the most important; otherwise the last is. */
  descending: boolean;
}

/** The priority that a list gives one of its children. */
export function listPriority(of: {
  readonly props: PrioritizedListProps;
  readonly count: number;
  readonly index: number;
}): number {
  const { priority = 0, descending } = of.props;
  return descending ? priority - of.index : priority - of.count + of.index;
}

/**
 * Gives its children priorities by their order. Whatever stands in the list counts as a place, also what is nothing.
 *
 * @example
 * h(PrioritizedList, { priority: 100, descending: false }, ...turns.map((turn) => h(UserMessage, {}, turn)));
 */
export class PrioritizedList extends PromptElement<PrioritizedListProps> {
  override render(): PromptPiece | undefined {
    const { children } = this.props;
    if (!children) return undefined;
    const count = children.length;
    return group(children.map((child, index) => ranked(child, listPriority({ props: this.props, count, index }))));
  }
}

/** The child with a priority; a piece that stands elsewhere too keeps its own there. */
function ranked(child: PromptPieceChild, priority: number): PromptPieceChild {
  if (!child) return undefined;
  if (typeof child !== 'object') return { ctor: TextChunk, props: { priority }, children: [child] };
  if (!('ctor' in child)) return child;
  return { ctor: child.ctor, props: { ...(child.props as object), priority }, children: child.children };
}
