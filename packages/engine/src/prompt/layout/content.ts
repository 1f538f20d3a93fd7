import type * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';

/** When a text starts on a new line: never, always, or unless a text directly precedes it. */
export const lineBreaks = { none: 0, always: 1, ifNotTextSibling: 2 } as const;
export type LineBreakBefore = 0 | 1 | 2;

/** Content of a leaf: a text or another part. Shared by all trees of a render, so it is counted once. */
export interface LeafContent {
  readonly text: string | undefined;
  readonly other: Exclude<Raw.ChatCompletionContentPart, Raw.ChatCompletionContentPartText> | undefined;
  readonly metadata: readonly PromptMetadata[] | undefined;
  readonly lineBreak: LineBreakBefore;
  /** Token count, once known. */
  tokens: number | undefined;
}
