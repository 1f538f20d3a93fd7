import {
  type BasePromptElementProps,
  type CancellationToken,
  type Progress,
  PromptElement,
  type PromptPiece,
  type PromptPieceChild,
  type PromptSizing,
} from '../element.ts';
import { cutText } from './cut-text.ts';
import { flattenAll } from './flatten.ts';
import { group } from './group.ts';

/** Marks the classes whose children become one leaf. Subclasses are ordinary elements. */
export const oneLeaf: unique symbol = Symbol('one leaf');

/** The props of a text that goes whole, or is cut where it may be. */
export interface TextChunkProps extends BasePromptElementProps {
  /** Where the text may be cut to fit the chunk's share. Without it the text is never cut. */
  breakOn?: RegExp | string;
  /** Cut at white space. */
  breakOnWhitespace?: boolean;
  /** Which end is kept when the text is cut; `head` if unset. */
  keep?: 'head' | 'tail' | 'both';
  /** What stands where something was cut out; nothing at the ends, a line with an ellipsis between them if unset. */
  mark?: string;
}

/**
 * A text that goes whole or stays whole, on a line of its own. With a rule for breaks it is cut to its share of the
 * budget, in time linear to the text.
 *
 * @example
 * h(TextChunk, { breakOn: '\n', keep: 'tail', flexGrow: 1 }, log);
 */
export class TextChunk extends PromptElement<TextChunkProps, PromptPiece | undefined> {
  static readonly [oneLeaf] = true;

  override prepare(
    sizing: PromptSizing,
    _progress?: Progress,
    token?: CancellationToken,
  ): Promise<PromptPiece | undefined> | undefined {
    const { breakOn, breakOnWhitespace, children } = this.props;
    const rule = breakOnWhitespace ? /\s+/g : breakOn;
    return rule ? this.cut({ rule, sizing, token, ...this.parts(children ?? []) }) : undefined;
  }

  override render(piece: PromptPiece | undefined): PromptPiece {
    return piece ?? group(this.props.children);
  }

  /** The text that may be cut, and what else stands in the chunk. */
  protected parts(children: readonly PromptPieceChild[]): Parts {
    return partsOf(flattenAll(children, true));
  }

  protected async cut({ rule, sizing, token, text, intrinsics }: CutInput): Promise<PromptPiece> {
    const { keep = 'head', mark } = this.props;
    const count = (piece: string) => sizing.countTokens(piece, token);
    const kept = await cutText({ text, rule, budget: sizing.tokenBudget, count, keep, mark });
    return group([...intrinsics, kept]);
  }
}

interface Parts {
  readonly text: string;
  readonly intrinsics: PromptPiece[];
}

/** A text that is to be cut, by which rule and to which size. */
export interface CutInput extends Parts {
  readonly rule: RegExp | string;
  readonly sizing: PromptSizing;
  readonly token: CancellationToken | undefined;
}

/** The text of a chunk, and what else may stand in it; whatever is neither is printed. */
export function partsOf(children: readonly PromptPieceChild[]): Parts {
  let text = '';
  const intrinsics: PromptPiece[] = [];
  for (const child of children) {
    if (child && typeof child === 'object') {
      if (!('ctor' in child) || typeof child.ctor !== 'string')
        throw new Error('TextChunk children must be text literals or intrinsic attributes.');
      if (child.ctor === 'br') text += '\n';
      else intrinsics.push(child);
    } else if (child != null) text += child;
  }
  return { text, intrinsics };
}
