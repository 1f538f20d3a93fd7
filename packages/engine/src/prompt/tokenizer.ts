import type { CancellationToken } from './element.ts';
import type { ModeToChatMessageType, OutputMode } from './output/mode.ts';
import type { ChatCompletionContentPart } from './output/raw.ts';

/**
 * Token counter of a renderer. Both methods may be synchronous or asynchronous; synchronous results are never awaited.
 */
export interface ITokenizer<M extends OutputMode = OutputMode> {
  /** The message format of `countMessageTokens`. */
  readonly mode: M;
  /**
   * Whether the count of a message with one text is the sum of the empty message and the text, and an empty text counts
   * 0. True for most counters. With it every text is counted once instead of twice.
   */
  readonly additive?: boolean;
  tokenLength(part: ChatCompletionContentPart, token?: CancellationToken): Promise<number> | number;
  countMessageTokens(message: ModeToChatMessageType[M]): Promise<number> | number;
}
