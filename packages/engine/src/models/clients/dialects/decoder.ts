import type { JsonObject, Message, Part, Wire } from '../../../message/index.ts';
import { isSent } from '../../../message/internal.ts';
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

/**
 * An answer of these parts. Thoughts that led to nothing, because it broke off, stay readable and are not sent back:
 * providers refuse an answer that ends in one. An answer that says nothing at all belongs to no dialect, so that it is
 * left out instead of being sent empty.
 *
 * @example
 * const message = answerOf({ parts: [{ type: 'text', origin: 'model', text: 'Yes.' }], wire: { dialect: 'anthropic' } });
 */
export function answerOf({
  parts,
  wire,
}: {
  readonly parts: readonly Part[];
  readonly wire?: Wire | undefined;
}): Message {
  if (!wire) return { role: 'assistant', parts };
  const last = parts.findLastIndex((part) => part.type !== 'thinking' && isSent(part, wire.dialect));
  const kept = parts.map((part, at) => (at > last && part.type === 'thinking' ? unbound(part) : part));
  return { role: 'assistant', parts: kept, ...(last >= 0 && { wire }) };
}

/** Reasoning that its provider would not know again stays readable, and is not sent back. */
export function unbound(part: Part): Part {
  const { wire: _, ...rest } = part;
  return rest;
}
