import { isObject, parseJson } from '../../json.ts';
import { boundedFetch, classifyFailure, type ModelFailure, type WireLimits, wireLimits } from '../../models/index.ts';
import { isAbort } from '../../models/internal.ts';
import type { SummaryBackend } from './backend.ts';
import type { BackendReply } from './reply.ts';

/** An endpoint that summarizes: it is sent `{ systemPrompt, prompt }` and answers `{ summary }`. */
export interface RemoteEndpoint {
  readonly url: string;
  /** Sent with every request; their values never stand in an error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The tokens that it takes; by default 128,000. */
  readonly window?: number;
  /** How requests are sent; by default with `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Times and sizes in place of `wireLimits.remote`. */
  readonly limits?: Partial<WireLimits>;
}

/** A summary is text; a larger answer is not one. */
const answerBytes = 8 * 1024 * 1024;

/**
 * An endpoint that the user named (D17). Nothing is sent anywhere else: a redirect to another origin is a failure.
 *
 * @example
 * const voice = remoteVoice({ url: 'https://summaries.example/v1', headers: { authorization: `Bearer ${key}` } });
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
    const said = (what: typeof of) => classifyFailure({ provider: 'The endpoint', secrets: tokens, ...what });
    const failure = said(of);
    if (failure.status !== undefined) {
      return { ...failure, message: `The endpoint answered with status ${failure.status}: ${failure.message}` };
    }
    // `fetch` says of everything that it failed, and why only beneath.
    const { message } = of.error instanceof Error && of.error.cause ? said({ error: of.error.cause }) : failure;
    return { ...failure, message: `The endpoint could not be asked: ${message}` };
  }
}

function failed(failure: ModelFailure): BackendReply {
  return { text: '', reason: failure.kind === 'refused' ? 'refused' : 'failed', callsTools: false, failure };
}
