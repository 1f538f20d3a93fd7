import { type BasePromptElementProps, PromptElement, type PromptPiece, type PromptPieceChild } from '../element.ts';
import { group } from './group.ts';
import { TextChunk } from './text-chunk.ts';

/** Props of a list that prioritizes its children by order. */
export interface PrioritizedListProps extends BasePromptElementProps {
  /** Base of the children's priorities; default: 0. */
  priority?: number;
  /** Whether the first child is the most important; otherwise the last. */
  descending: boolean;
}

/** The priority of a child in a list. */
export function listPriority(of: {
  readonly props: PrioritizedListProps;
  readonly count: number;
  readonly index: number;
}): number {
  const { priority = 0, descending } = of.props;
  return descending ? priority - of.index : priority - of.count + of.index;
}

/**
 * Prioritizes its children by order. Every child counts as a position, including empty ones.
 *
 * @example
 * h(PrioritizedList, { priority: 100, descending: false }, ...['Hi.', 'Hello.', 'Why?'].map((turn) => h(UserMessage, {}, turn)));
 */
export class PrioritizedList extends PromptElement<PrioritizedListProps> {
  override render(): PromptPiece | undefined {
    const { children } = this.props;
    if (!children) return undefined;
    const count = children.length;
    return group(children.map((child, index) => ranked(child, listPriority({ props: this.props, count, index }))));
  }
}

/** The child with a priority; a piece that is also used elsewhere keeps its own there. */
function ranked(child: PromptPieceChild, priority: number): PromptPieceChild {
  if (!child) return undefined;
  if (typeof child !== 'object') return { ctor: TextChunk, props: { priority }, children: [child] };
  if (!('ctor' in child)) return child;
  return { ctor: child.ctor, props: { ...(child.props as object), priority }, children: child.children };
}
