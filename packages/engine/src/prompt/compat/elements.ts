import { PromptElement, type PromptPiece, type PromptPieceChild } from '../element.ts';
import { group } from '../elements/group.ts';
import { listPriority, type PrioritizedListProps } from '../elements/prioritized-list.ts';
import { type CutInput, TextChunk as OwnTextChunk, oneLeaf, partsOf } from '../elements/text-chunk.ts';

/**
 * A text that is pruned as a whole. With a break rule it is cut where prompt-tsx cuts it: before the first break at
 * which the text so far no longer fits.
 *
 * @example
 * vscpp(TextChunk, { breakOnWhitespace: true }, text);
 */
export class TextChunk extends OwnTextChunk {
  static override readonly [oneLeaf] = true;

  /** Like prompt-tsx: booleans are printed, fragments and lists are rejected. */
  protected override parts(children: readonly PromptPieceChild[]): ReturnType<typeof partsOf> {
    return partsOf(children);
  }

  protected override async cut({ rule, sizing, token, text, intrinsics }: CutInput): Promise<PromptPiece> {
    const fits = async (candidate: string) =>
      (await sizing.countTokens({ type: 1, text: candidate }, token)) <= sizing.tokenBudget;
    return group([...intrinsics, await prefixThatFits({ text, rule, fits })]);
  }
}

async function prefixThatFits(of: {
  readonly text: string;
  readonly rule: RegExp | string;
  readonly fits: (candidate: string) => Promise<boolean>;
}): Promise<string> {
  const { text, fits } = of;
  if (of.rule instanceof RegExp && !of.rule.global)
    throw new Error(`\`breakOn\` expression must have the global flag set (got ${of.rule})`);
  // Concurrent cuts must not share the `lastIndex` of the expression.
  const rule = of.rule instanceof RegExp ? new RegExp(of.rule) : of.rule;
  let kept = '';
  let last = -1;
  while (last < text.length) {
    const found =
      typeof rule === 'string'
        ? text.indexOf(rule, last === -1 ? 0 : last + rule.length)
        : (rule.exec(text)?.index ?? -1);
    const at = found === -1 ? text.length : found;
    const next = kept + text.slice(Math.max(0, last), at);
    if (!(await fits(next))) return kept;
    kept = next;
    last = at;
  }
  return kept;
}

/**
 * Gives its children priorities by their order, writing them to their props as prompt-tsx does.
 *
 * @example
 * vscpp(PrioritizedList, { priority: 10, descending: true }, vscpp(UserMessage, null, 'stays longest'));
 */
export class PrioritizedList extends PromptElement<PrioritizedListProps> {
  override render(): PromptPiece | undefined {
    const { children } = this.props;
    if (!children) return undefined;
    const count = children.length;
    return group(children.map((child, index) => ranked(child, listPriority({ props: this.props, count, index }))));
  }
}

function ranked(child: PromptPieceChild, priority: number): PromptPieceChild {
  if (!child) return undefined;
  if (typeof child !== 'object') return { ctor: TextChunk, props: { priority }, children: [child] };
  const piece = child as PromptPiece<{ priority?: number } | null>;
  piece.props ??= {};
  piece.props.priority = priority;
  return child;
}
