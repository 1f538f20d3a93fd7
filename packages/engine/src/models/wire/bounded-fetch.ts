import { WireFault } from '../failure/wire-fault.ts';
import { type BodyReader, boundBody } from './bound-body.ts';
import type { WireLimits } from './limits.ts';

/** Redirects within an origin that are followed for one call. */
const maxRedirects = 5;

/** A response, as far as clients of models need it. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Pick<Headers, 'get'>;
  readonly type?: string;
  /** Absent if there is no body. */
  readonly reader: BodyReader | undefined;
}

/** Sends a request to an address. Redirects are not followed. */
export type Send = (
  url: string,
  init?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<Answer>;

/**
 * A `fetch` for model endpoints whose calls are bounded in time and size, and which follows redirects only within the same
 * origin: neither a key nor a conversation reaches an address that the user did not name. Where a limit is exceeded it
 * rejects with a `WireFault`, and so does the body of the response.
 *
 * @example
 * const send = boundedFetch({ fetch, limits: wireLimits.remote });
 */
export function boundedFetch({
  fetch,
  limits,
}: {
  readonly fetch: typeof globalThis.fetch;
  readonly limits: WireLimits;
}): typeof globalThis.fetch {
  return async (input, init) => {
    const address = addressOf(input);
    let headers: Headers | undefined;
    const send = bounded({
      limits,
      send: async (url, { signal } = {}) => {
        const isFirst = url === address;
        if (!isFirst && init?.body !== undefined && init.body !== null && typeof init.body !== 'string')
          throw redirectFault('redirected a request whose body cannot be sent twice');
        const response = await fetch(isFirst ? input : url, { ...init, ...(signal && { signal }), redirect: 'manual' });
        headers = response.headers;
        return answerOf(response);
      },
    });
    const { method, signal } = init ?? {};
    const { status, statusText, reader } = await send(address, {
      ...(method && { method }),
      ...(signal && { signal }),
    });
    return new Response(reader ? streamOf(reader) : null, { status, statusText, ...(headers && { headers }) });
  };
}

/** Sends with a `fetch` that a caller gave. */
export function sendWith(fetch: typeof globalThis.fetch): Send {
  return async (url, init) => answerOf(await fetch(url, { ...init, redirect: 'manual' }));
}

/** A response of `fetch` as an answer. */
export function answerOf({ ok, status, statusText, headers, type, body }: Response): Answer {
  return { ok, status, statusText, headers, type, reader: body?.getReader() };
}

function streamOf(reader: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (value !== undefined) controller.enqueue(value);
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * The same for a plain sender: what it sends is bounded in time and size.
 *
 * @example
 * const send = bounded({ send: direct, limits: wireLimits.remote });
 */
export function bounded({ send, limits }: { readonly send: Send; readonly limits: WireLimits }): Send {
  return async (url, init = {}) => {
    const stop = new AbortController();
    const total = setTimeout(() => stop.abort(tooSlow({ what: 'The call', ms: limits.totalMs })), limits.totalMs);
    const head = setTimeout(() => stop.abort(tooSlow({ what: 'Its first answer', ms: limits.headMs })), limits.headMs);
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    try {
      const answer = await followed({ send, url, init: { ...init, signal }, stop: stop.signal });
      if (!answer.reader) clearTimeout(total);
      const reader =
        answer.reader &&
        boundBody({
          reader: answer.reader,
          limit: answer.ok ? limits.answerBytes : limits.errorBytes,
          isCut: !answer.ok,
          idleMs: limits.idleMs,
          stop,
          onEnd: () => clearTimeout(total),
        });
      return { ...answer, reader };
    } catch (error) {
      clearTimeout(total);
      throw error;
    } finally {
      clearTimeout(head);
    }
  };
}

/** Sends a request and follows redirects as far as that is safe. A sender that ignores its signal does not block. */
async function followed({
  send,
  url,
  init,
  stop,
}: {
  readonly send: Send;
  readonly url: string;
  readonly init: NonNullable<Parameters<Send>[1]>;
  readonly stop: AbortSignal;
}): Promise<Answer> {
  let target = url;
  for (let hops = 0; ; hops += 1) {
    const answer = await orStopped({ work: send(target, init), stop });
    const location = redirectOf({ answer, from: new URL(target), method: init.method ?? 'GET' });
    if (location === undefined) return answer;
    await answer.reader?.cancel().catch(() => undefined);
    if (hops >= maxRedirects) throw redirectFault(`redirected more than ${maxRedirects} times`);
    target = location;
  }
}

/** Where a response redirects to; `undefined` if it does not. Throws where it must not be followed. */
function redirectOf({
  answer,
  from,
  method,
}: {
  readonly answer: Answer;
  readonly from: URL;
  readonly method: string;
}): string | undefined {
  if (answer.type === 'opaqueredirect') throw redirectFault('redirected the request');
  const { status } = answer;
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = URL.parse(answer.headers.get('location') ?? '', from);
  if (!location) throw redirectFault('redirected without an address');
  if (location.origin !== from.origin)
    throw redirectFault(`redirected to another origin, ${location.origin}, which was not followed`);
  // Other statuses turn a POST into a GET, and the conversation would be lost.
  const isKept = status === 307 || status === 308 || method.toUpperCase() === 'GET';
  if (!isKept) throw redirectFault(`answered ${status}, which does not forward a ${method}`);
  return location.href;
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}

function redirectFault(what: string): WireFault {
  return new WireFault({ code: 'redirect', message: `The endpoint ${what}. Check the base URL.` });
}

function tooSlow({ what, ms }: { readonly what: string; readonly ms: number }): WireFault {
  return new WireFault({ code: 'timeout', message: `${what} took longer than ${ms / 1000} s.` });
}

async function orStopped<Value>({
  work,
  stop,
}: {
  readonly work: Promise<Value>;
  readonly stop: AbortSignal;
}): Promise<Value> {
  stop.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onStop = () => reject(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}
