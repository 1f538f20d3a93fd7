import type { JsonObject, Message } from '../../../message/index.ts';
import type { ModelFailure } from '../../failure/failure.ts';
import type { EndReason, ModelEvent } from '../../model.ts';

/** What a stream means, event by event, and the answer it made so far. One is made for each call. */
export interface Decoder {
  /** Everything but the end, which is the client's to say. */
  read(event: JsonObject): readonly ModelEvent[];
  /** How it ended by the provider's word; `undefined` as long as it said nothing: then the stream broke off. */
  ending(): Ending | undefined;
  /** Whether nothing that counts can follow. */
  isOver(): boolean;
  /** The provider says that it has said all (`[DONE]`). */
  close?(): void;
  /** The whole answer as far as it came. */
  message(): Message;
}

/** `failed` carries the provider's error to be classified, or a failure where only the decoder can tell what it is. */
export type Ending =
  | { readonly reason: Exclude<EndReason, 'aborted' | 'failed' | 'refused'> }
  | { readonly reason: 'refused'; readonly failure?: ModelFailure }
  | { readonly reason: 'failed'; readonly error: unknown }
  | { readonly reason: 'failed'; readonly failure: ModelFailure };
