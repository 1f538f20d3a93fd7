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

/** Props of a text chunk. */
export interface TextChunkProps extends BasePromptElementProps {
  /** Where the text may be cut to fit the chunk's share. Without it the text is never cut. */
  breakOn?: RegExp | string;
  /** Cut at whitespace. */
  breakOnWhitespace?: boolean;
  /** Which end to keep; default: `head`. */
  keep?: 'head' | 'tail' | 'both';
  /** Replaces the cut text; default: nothing at the ends, a line with an ellipsis in the middle. */
  mark?: string;
}

/**
 * A text that is pruned as a whole, on a line of its own. With a break rule it is cut to its share of the budget, in
 * linear time.
 *
 * @example
 * h(TextChunk, { breakOn: '\n', keep: 'tail', flexGrow: 1 }, text);
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

  /** The text that may be cut, and other children of the chunk. */
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

/** A text to cut, with rule and size. */
export interface CutInput extends Parts {
  readonly rule: RegExp | string;
  readonly sizing: PromptSizing;
  readonly token: CancellationToken | undefined;
}

/** The text of a chunk and its intrinsic children; anything else is printed. */
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
