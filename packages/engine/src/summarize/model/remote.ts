import { isObject, parseJson } from '../../json.ts';
import { boundedFetch, classifyFailure, type ModelFailure, type WireLimits, wireLimits } from '../../models/index.ts';
import { isAbort } from '../../models/internal.ts';
import type { SummaryBackend } from './backend.ts';
import type { BackendReply } from './reply.ts';

/** An endpoint that summarizes: it receives `{ systemPrompt, prompt }` and returns `{ summary }`. */
export interface RemoteEndpoint {
  readonly url: string;
  /** Sent with every request; their values are masked in errors. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its context window in tokens; 128,000 by default. */
  readonly window?: number;
  /** Sends the requests; `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch;
  /** Overrides of `wireLimits.remote`. */
  readonly limits?: Partial<WireLimits>;
}

/** Maximum size of an answer; no summary is larger. */
const answerBytes = 8 * 1024 * 1024;

/**
 * A backend for an endpoint that the user configured (D17). A redirect to another origin is a failure, so that nothing is
 * sent elsewhere.
 *
 * @example
 * const backend = remoteVoice({ url: 'https://summaries.example/v1', headers: { authorization: `Bearer ${key}` } });
 */
export function remoteBackend({
  url,
  headers = {},
  window = 128_000,
  fetch = globalThis.fetch,
  limits,
}: RemoteEndpoint): SummaryBackend {
  const send = boundedFetch({ fetch, limits: { ...wireLimits.remote, answerBytes, ...limits } });
  return {
    name: new URL(url).origin,
    inputLimit: Math.floor(window * 0.8),
    factor: 1.3,
    forbidsTools: false,
    costOf: () => undefined,
    async ask({ system, prompt, signal }) {
      try {
        const response = await send(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
          body: JSON.stringify({ systemPrompt: system, prompt }),
          signal,
        });
        return read({ response, body: await response.text() });
      } catch (error) {
        if (isAbort(error)) return { text: '', reason: 'aborted', callsTools: false };
        return failed(classify({ error }));
      }
    },
  };

  function read({ response, body }: { readonly response: Response; readonly body: string }): BackendReply {
    if (!response.ok) {
      return failed(classify({ status: response.status, headers: response.headers, body }));
    }
    const value = parseJson(body);
    const summary = isObject(value) ? value.summary : undefined;
    if (typeof summary === 'string') return { text: summary, reason: 'stop', callsTools: false };
    return failed({ kind: 'invalid', message: 'The endpoint answered without a summary.', retryable: false });
  }

  function classify(of: Parameters<typeof classifyFailure>[0]): ModelFailure {
    const tokens = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
    const classified = (what: typeof of) => classifyFailure({ provider: 'The endpoint', secrets: tokens, ...what });
    const failure = classified(of);
    if (failure.status !== undefined) {
      return { ...failure, message: `The endpoint answered with status ${failure.status}: ${failure.message}` };
    }
    // `fetch` reports every error as "fetch failed"; the reason is in the cause.
    const { message } = of.error instanceof Error && of.error.cause ? classified({ error: of.error.cause }) : failure;
    return { ...failure, message: `The endpoint could not be reached: ${message}` };
  }
}

function failed(failure: ModelFailure): BackendReply {
  return { text: '', reason: failure.kind === 'refused' ? 'refused' : 'failed', callsTools: false, failure };
}
