import type { Message } from '../../message/index.ts';
import type { ModelEnd } from '../model.ts';
import { isAbort } from './abort.ts';
import { classifyFailure, type FailureInput } from './classify.ts';

/**
 * The end of an answer that broke off with an error, as the contract of a model wants it: given up by the caller, or
 * failed. For whoever makes a `Model` of something that throws.
 *
 * @example
 * catch (error) {
 *   yield brokenEnd({ error, message, signal: request.signal });
 * }
 */
export function brokenEnd({
  message,
  signal,
  ...input
}: FailureInput & { readonly message: Message; readonly signal?: AbortSignal | undefined }): ModelEnd {
  if (signal?.aborted || isAbort(input.error)) return { type: 'end', reason: 'aborted', message };
  return { type: 'end', reason: 'failed', message, failure: classifyFailure(input) };
}
