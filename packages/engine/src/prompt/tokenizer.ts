import type { CancellationToken } from './element.ts';
import type { ModeToChatMessageType, OutputMode } from './output/mode.ts';
import type { ChatCompletionContentPart } from './output/raw.ts';

/** Counts for a renderer. Both calls may answer at once or later; what answers at once is never waited for. */
export interface ITokenizer<M extends OutputMode = OutputMode> {
  /** The form of messages that `countMessageTokens` takes. */
  readonly mode: M;
  /**
   * Whether a message with one text counts as much as the message without it and the text by itself, and an empty text
   * counts nothing. Most counters do. Who says so has every text counted once instead of twice.
   */
  readonly additive?: boolean;
  tokenLength(part: ChatCompletionContentPart, token?: CancellationToken): Promise<number> | number;
  countMessageTokens(message: ModeToChatMessageType[M]): Promise<number> | number;
}
