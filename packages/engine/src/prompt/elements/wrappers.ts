import {
  type BasePromptElementProps,
  PromptElement,
  type PromptPiece,
  type PromptPieceChild,
  type PromptSizing,
} from '../element.ts';
import { GroupElement, group } from './group.ts';

/**
 * Pruned as a whole.
 *
 * @example
 * h(Chunk, { priority: 5 }, h(TextChunk, {}, 'a question'), h(TextChunk, {}, 'and its answer'));
 */
export class Chunk extends GroupElement {}

/**
 * The lowest leaf inside is pruned first, at any depth, like in prompt-tsx before 0.3.
 *
 * @deprecated
 * @example
 * h(LegacyPrioritization, {}, h(UserMessage, {}, h(TextChunk, { priority: 1 }, 'first to go')));
 */
export class LegacyPrioritization extends GroupElement {}

/**
 * A group with props, without other behavior.
 *
 * @example
 * h(LogicalWrapper, { passPriority: true }, h(TextChunk, { priority: 1 }, 'competes with the siblings of the wrapper'));
 */
export class LogicalWrapper extends GroupElement {}

/** Props of a token limit: `max` is the limit of its content. */
export interface TokenLimitProps extends BasePromptElementProps {
  max: number;
}

/**
 * The content is pruned to `max` tokens before the prompt as a whole.
 *
 * @example
 * h(TokenLimit, { max: 1000 }, h(TextChunk, {}, 'a long log'));
 */
export class TokenLimit extends GroupElement<TokenLimitProps> {}

/** Props of an expandable text. */
export interface ExpandableProps extends BasePromptElementProps {
  /** Called with the element's share first, and again with the remaining budget at the end. */
  value: (sizing: PromptSizing) => string | Promise<string>;
}

/**
 * Grows into the remaining budget.
 *
 * @example
 * h(Expandable, { value: ({ tokenBudget }) => text.slice(-tokenBudget) });
 */
export class Expandable extends PromptElement<ExpandableProps> {
  override render(_state: unknown, sizing: PromptSizing): PromptPiece | Promise<PromptPiece> {
    const value = this.props.value(sizing);
    return typeof value === 'string' ? group([value]) : Promise.resolve(value).then((text) => group([text]));
  }
}

/** Props of `IfEmpty`: `alt` is the alternative. */
export interface IfEmptyProps extends BasePromptElementProps {
  alt: PromptPieceChild;
}

/**
 * Its children, or `alt` if they are empty.
 *
 * @example
 * h(IfEmpty, { alt: '(no output)' }, text);
 */
export class IfEmpty extends PromptElement<IfEmptyProps> {
  override render(): PromptPiece {
    const { alt, children } = this.props;
    return group([
      { ctor: LogicalWrapper, props: {}, children: [alt] },
      { ctor: LogicalWrapper, props: { flexGrow: 1 }, children: children ?? [] },
    ]);
  }
}
