import { type Clock, systemClock } from '../../time.ts';
import type { ModelFailure } from '../failure/failure.ts';
import { type RetryPolicy, retryDelay } from '../failure/retry.ts';
import type { Model, ModelEvent, ModelRequest } from '../model.ts';

export interface RetryOptions {
  readonly policy?: RetryPolicy;
  readonly clock?: Pick<Clock, 'sleep'>;
  readonly random?: () => number;
  /** Called before each wait. */
  readonly onRetry?: (event: {
    readonly attempt: number;
    readonly delayMs: number;
    readonly failure: ModelFailure;
  }) => void;
}

/**
 * A model that sends a request again where that may help: failures that may pass, which came before anything of the
 * answer did. It waits as long as the server asks, else as `retryDelay` says, and not at all once the signal aborts.
 *
 * @example
 * const patient = withRetry(model, { onRetry: ({ delayMs }) => console.error(`again in ${delayMs} ms`) });
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
  const { policy, clock = systemClock, random = Math.random, onRetry } = options;
  for (let attempt = 1; ; attempt += 1) {
    let hasContent = false;
    let delayMs: number | undefined;
    for await (const event of model.stream(request)) {
      if (event.type === 'end') {
        if (event.reason === 'failed' && !hasContent && !request.signal?.aborted)
          delayMs = retryDelay({ attempt, failure: event.failure, random, ...(policy && { policy }) });
        if (delayMs === undefined || event.failure === undefined) {
          yield event;
          return;
        }
        onRetry?.({ attempt, delayMs, failure: event.failure });
        break;
      }
      hasContent ||= event.type !== 'usage';
      yield event;
    }
    if (delayMs === undefined) return;
    try {
      await clock.sleep(delayMs, request.signal);
    } catch {
      yield { type: 'end', reason: 'aborted', message: { role: 'assistant', parts: [] } };
      return;
    }
  }
}
