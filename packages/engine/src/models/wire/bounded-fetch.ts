import { WireFault } from '../failure/wire-fault.ts';
import { boundBody } from './bound-body.ts';
import type { WireLimits } from './limits.ts';

/** Redirects within an origin that are followed for one call. */
const maxRedirects = 5;

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
    const stop = new AbortController();
    const total = setTimeout(() => stop.abort(tooSlow({ what: 'The call', ms: limits.totalMs })), limits.totalMs);
    const head = setTimeout(() => stop.abort(tooSlow({ what: 'Its first answer', ms: limits.headMs })), limits.headMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    try {
      const response = await sendTo({ fetch, input, init: { ...init, signal }, stop: stop.signal });
      const body =
        response.body &&
        boundBody({
          body: response.body,
          limit: response.ok ? limits.answerBytes : limits.errorBytes,
          isCut: !response.ok,
          idleMs: limits.idleMs,
          stop,
          onEnd: () => clearTimeout(total),
        });
      if (!body) clearTimeout(total);
      const { status, statusText, headers } = response;
      return new Response(body, { status, statusText, headers });
    } catch (error) {
      clearTimeout(total);
      throw error;
    } finally {
      clearTimeout(head);
    }
  };
}

/** Sends a request and follows redirects as far as that is safe. A `fetch` that ignores its signal does not block. */
async function sendTo({
  fetch,
  input,
  init,
  stop,
}: {
  readonly fetch: typeof globalThis.fetch;
  readonly input: Parameters<typeof globalThis.fetch>[0];
  readonly init: RequestInit;
  readonly stop: AbortSignal;
}): Promise<Response> {
  let target = input;
  for (let hops = 0; ; hops += 1) {
    const response = await orStopped({ work: fetch(target, { ...init, redirect: 'manual' }), stop });
    const location = redirectOf({ response, from: addressOf(target), method: init.method ?? 'GET' });
    if (location === undefined) return response;
    await response.body?.cancel().catch(() => undefined);
    if (hops >= maxRedirects) throw redirectFault(`redirected more than ${maxRedirects} times`);
    if (init.body !== undefined && init.body !== null && typeof init.body !== 'string')
      throw redirectFault('redirected a request whose body cannot be sent twice');
    target = location;
  }
}

/** Where a response redirects to; `undefined` if it does not. Throws where it must not be followed. */
function redirectOf({
  response,
  from,
  method,
}: {
  readonly response: Response;
  readonly from: URL;
  readonly method: string;
}): string | undefined {
  if (response.type === 'opaqueredirect') throw redirectFault('redirected the request');
  const { status } = response;
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = URL.parse(response.headers.get('location') ?? '', from);
  if (!location) throw redirectFault('redirected without an address');
  if (location.origin !== from.origin)
    throw redirectFault(`redirected to another origin, ${location.origin}, which was not followed`);
  // Other statuses turn a POST into a GET, and the conversation would be lost.
  const isKept = status === 307 || status === 308 || method.toUpperCase() === 'GET';
  if (!isKept) throw redirectFault(`answered ${status}, which does not forward a ${method}`);
  return location.href;
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): URL {
  return new URL(typeof input === 'string' ? input : input instanceof URL ? input.href : input.url);
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
