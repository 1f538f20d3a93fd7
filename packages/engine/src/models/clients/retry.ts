import type { Clock } from '../../time.ts';
import { type RetryEvent, type RetryPolicy, retryAttempts } from '../failure/retry.ts';
import type { Model, ModelEvent, ModelRequest } from '../model.ts';

export interface RetryOptions {
  readonly policy?: RetryPolicy;
  readonly clock?: Pick<Clock, 'sleep'>;
  readonly random?: () => number;
  /** Called before each wait. */
  readonly onRetry?: (event: RetryEvent) => void;
}

/**
 * A model that retries a request after a transient failure, unless part of the answer has arrived. The delay is the one that
 * the server requests, otherwise that of `retryDelay`; an abort ends it.
 *
 * @example
 * const retrying = withRetry(model, { onRetry: ({ delayMs }) => console.error(`again in ${delayMs} ms`) });
 */
export function withRetry(model: Model, options: RetryOptions = {}): Model {
  const { id, dialect, info } = model;
  return { id, dialect, info, stream: (request) => stream({ model, request, options }) };
}

async function* stream({
  model,
  request,
  options,
}: {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly options: RetryOptions;
}): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  for await (const attempt of retryAttempts({ ...options, signal })) {
    let hasContent = false;
    let isRetried = false;
    for await (const event of model.stream(request)) {
      if (event.type === 'end') {
        isRetried = event.reason === 'failed' && !hasContent && attempt.retry(event.failure);
        if (isRetried) break;
        yield event;
        return;
      }
      hasContent ||= event.type !== 'usage';
      yield event;
    }
    if (!isRetried) return;
  }
  // Only an abort during a delay ends the attempts here.
  yield { type: 'end', reason: 'aborted', message: { role: 'assistant', parts: [] } };
}
