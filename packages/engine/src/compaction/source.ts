import type { Message } from '../message/index.ts';
import type { EntryId } from '../session/index.ts';

/** What is read when a summary is made: an item of the context with its address. */
export interface SourceItem {
  /** As in `@12`. */
  readonly handle: number;
  readonly id: EntryId;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: Message;
}
