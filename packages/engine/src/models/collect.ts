import type { Message, Part, TextPart, ThinkingPart } from '../message/index.ts';
import { isAbort } from './failure/abort.ts';
import { classifyFailure, type FailureInput } from './failure/classify.ts';
import type { ModelEnd, ModelEvent } from './model.ts';
import type { Usage } from './usage.ts';

/** A stream read to its end. */
export interface CollectedAnswer {
  readonly message: Message;
  readonly usage: Usage | undefined;
  readonly end: ModelEnd;
}

/**
 * Reads a stream to its end. It never rejects: a stream that throws or stops without an `end` event, against the
 * contract, becomes a failed answer that holds what had come.
 *
 * @example
 * const { message, usage, end } = await collect(model.stream({ head: [], items, tools: [], options: {} }));
 */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<CollectedAnswer> {
  const parts: Part[] = [];
  let usage: Usage | undefined;
  let error: unknown = new Error('The stream ended without its end event.');
  try {
    for await (const event of events) {
      if (event.type === 'end') return { message: event.message, usage, end: event };
      if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'tool_call') parts.push(event.call);
      else if (event.type === 'text' || event.type === 'thinking')
        extend({ parts, type: event.type, delta: event.delta });
    }
  } catch (thrown) {
    error = thrown;
  }
  const message: Message = { role: 'assistant', parts };
  return { message, usage, end: brokenEnd({ error, message }) };
}

function extend({ parts, type, delta }: { parts: Part[]; type: 'text' | 'thinking'; delta: string }): void {
  const last = parts.at(-1);
  const text = last?.type === type ? last.text + delta : delta;
  const part: TextPart | ThinkingPart = { type, origin: 'model', text };
  if (last?.type === type) parts[parts.length - 1] = part;
  else parts.push(part);
}

/**
 * The end of an answer that broke off with an error, as the contract of a model wants it: given up by the caller, or
 * failed. For implementations of `Model` over something that throws.
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
