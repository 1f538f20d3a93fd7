import type * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';

/** When a text begins on a new line: never, always, or unless a text stands right before it. */
export const lineBreaks = { none: 0, always: 1, ifNotTextSibling: 2 } as const;
export type LineBreakBefore = 0 | 1 | 2;

/** What a leaf says: a text, or a part of another kind. Every tree of a render has the same, so it is counted once. */
export interface LeafContent {
  readonly text: string | undefined;
  readonly other: Exclude<Raw.ChatCompletionContentPart, Raw.ChatCompletionContentPartText> | undefined;
  readonly metadata: readonly PromptMetadata[] | undefined;
  readonly lineBreak: LineBreakBefore;
  /** What it counts, once it was counted. */
  tokens: number | undefined;
}
