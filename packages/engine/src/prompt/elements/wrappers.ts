import {
  type BasePromptElementProps,
  PromptElement,
  type PromptPiece,
  type PromptPieceChild,
  type PromptSizing,
} from '../element.ts';
import { GroupElement, group } from './group.ts';

/**
 * Goes whole or stays whole.
 *
 * @example
 * h(Chunk, { priority: 5 }, h(TextChunk, {}, 'a question'), h(TextChunk, {}, 'and its answer'));
 */
export class Chunk extends GroupElement {}

/**
 * Inside, the lowest leaf goes first, however deep it stands; as prompt-tsx pruned before 0.3.
 *
 * @deprecated
 * @example
 * h(LegacyPrioritization, {}, h(UserMessage, {}, h(TextChunk, { priority: 1 }, 'first to go')));
 */
export class LegacyPrioritization extends GroupElement {}

/**
 * A group with props of its own and nothing else.
 *
 * @example
 * h(LogicalWrapper, { passPriority: true }, h(TextChunk, { priority: 1 }, 'competes with the siblings of the wrapper'));
 */
export class LogicalWrapper extends GroupElement {}

/** The props of a limit: `max` is the most tokens that what stands inside may count. */
export interface TokenLimitProps extends BasePromptElementProps {
  max: number;
}

/**
 * What stands inside is pruned to `max` tokens before the prompt as a whole is.
 *
 * @example
 * h(TokenLimit, { max: 1000 }, h(TextChunk, {}, 'a long log'));
 */
export class TokenLimit extends GroupElement<TokenLimitProps> {}

/** The props of a text that grows. */
export interface ExpandableProps extends BasePromptElementProps {
  /** Called with the element's share first, and again with what is left when everything else is known. */
  value: (sizing: PromptSizing) => string | Promise<string>;
}

/**
 * Grows into what is left of the budget.
 *
 * @example
 * h(Expandable, { value: ({ tokenBudget }) => log.slice(-tokenBudget) });
 */
export class Expandable extends PromptElement<ExpandableProps> {
  override render(_state: unknown, sizing: PromptSizing): PromptPiece | Promise<PromptPiece> {
    const value = this.props.value(sizing);
    return typeof value === 'string' ? group([value]) : Promise.resolve(value).then((text) => group([text]));
  }
}

/** The props of an alternative: `alt` is what stands there instead. */
export interface IfEmptyProps extends BasePromptElementProps {
  alt: PromptPieceChild;
}

/**
 * Its children, or `alt` if there is nothing in them.
 *
 * @example
 * h(IfEmpty, { alt: 'The tool said nothing.' }, output);
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
