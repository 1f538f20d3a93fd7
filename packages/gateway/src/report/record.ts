import { cost, type ModelInfo, promptTokens, type Usage } from 'longhaul/models';
import type { SessionId } from 'longhaul/session';

/** What was done with a request. */
export type RequestAction =
  /** A route that carries no conversation, or a conversation that is not followed. */
  | 'passed'
  /** The conversation was followed, and the body forwarded as it came. */
  | 'unchanged'
  /** The compacted conversation was sent. */
  | 'rewritten'
  /** The same, and this request opened a new epoch. */
  | 'compacted'
  /** The provider refused the request as too long, and got a smaller one. */
  | 'shrunk'
  /** Following the conversation failed, and the body was forwarded as it came. */
  | 'failed-open'
  /** The gateway refused it or could not reach the provider. */
  | 'refused';

/** One request, for the access line, the metrics and the report. It has no content of the conversation. */
export interface RequestRecord {
  readonly at: number;
  readonly client: string;
  readonly upstream: string;
  readonly path: string;
  readonly model: string;
  readonly session: SessionId | null;
  readonly status: number;
  readonly action: RequestAction;
  /** Tokens of the prompt as the client made it; estimated from the prompt that was sent, in proportion to its bytes. */
  readonly tokensReceived: number;
  /** Tokens of the prompt as it was sent, by the provider's count. */
  readonly tokensForwarded: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  /** Dollars saved against sending what the client made, net of cache writes and of summaries; `null` without prices. */
  readonly saved: number | null;
  /** Milliseconds that the gateway added before the request was sent. */
  readonly overhead: number;
  /** Milliseconds until the first bytes of an answer were relayed; `null` where none was read. */
  readonly firstChunk: number | null;
  /** Milliseconds until the response ended. */
  readonly duration: number;
}

/**
 * What was saved by a request, in dollars. Without the gateway the client's prompt would have been sent: what the
 * previous one held from the provider's cache where this one was cached too, the rest as new.
 *
 * @example
 * savedBy({ usage, received: 120_000, previous: 118_000, info }); // 0.21
 */
export function savedBy({
  usage,
  received,
  previous,
  summaries = 0,
  info,
}: {
  readonly usage: Usage;
  /** Tokens of the prompt as the client made it. */
  readonly received: number;
  /** The same of the request before it in this conversation. */
  readonly previous: number;
  /** What summaries by a model cost, in dollars. */
  readonly summaries?: number;
  readonly info: Pick<ModelInfo, 'prices' | 'cache'>;
}): number | null {
  const isCached = usage.cacheRead + usage.cacheWrite > 0;
  const read = isCached ? Math.min(previous, received) : 0;
  const fresh = Math.max(0, received - read);
  const isWritten = usage.cacheWrite > 0;
  const without: Usage = {
    input: isWritten ? 0 : fresh,
    cacheWrite: isWritten ? fresh : 0,
    cacheRead: read,
    output: usage.output,
  };
  const [before, after] = [cost({ usage: without, info }), cost({ usage, info })];
  if (before === undefined || after === undefined) return null;
  // A request that was forwarded as it came saved nothing, whatever the estimate says.
  return received === promptTokens(usage) ? -summaries : before - after - summaries;
}

/** Collects what is known of one request while it is handled. */
export class RequestTrace {
  client = 'unknown';
  upstream = '';
  model = '';
  session: SessionId | null = null;
  status = 0;
  action: RequestAction = 'passed';
  info: ModelInfo | undefined;
  usage: Usage | undefined;
  /** Bytes of the body as the client sent it, and as it was forwarded. */
  receivedBytes = 0;
  sentBytes = 0;
  readonly #path: string;
  readonly #at = Date.now();
  readonly #started = performance.now();
  #read: number | undefined;
  #sent: number | undefined;
  #chunk: number | undefined;

  constructor({ path }: { readonly path: string }) {
    const query = path.indexOf('?');
    // A query may hold a key.
    this.#path = query < 0 ? path : path.slice(0, query);
  }

  /** The body has been read. */
  markRead(): void {
    this.#read = performance.now();
  }

  /** The request is sent to the provider. */
  markSent(): void {
    this.#sent ??= performance.now();
  }

  /** A part of the answer was relayed. */
  markChunk(): void {
    this.#chunk ??= performance.now();
  }

  /** How many times larger the client's prompt was than what was sent. */
  get ratio(): number {
    return this.sentBytes > 0 ? Math.max(1, this.receivedBytes / this.sentBytes) : 1;
  }

  record({
    previousTokens,
    summaryCost,
  }: {
    readonly previousTokens: (session: SessionId) => number;
    /** What summaries of the conversation have cost since its last record, in dollars. */
    readonly summaryCost: (session: SessionId) => number;
  }): RequestRecord {
    const { client, upstream, model, session, status, action, usage, info } = this;
    const forwarded = usage ? promptTokens(usage) : 0;
    const received = Math.round(forwarded * this.ratio);
    const previous = session === null || !usage ? 0 : previousTokens(session);
    const summaries = session === null || !usage || !info ? 0 : summaryCost(session);
    return {
      at: this.#at,
      client,
      upstream,
      path: this.#path,
      model,
      session,
      status,
      action,
      tokensReceived: received,
      tokensForwarded: forwarded,
      tokensCached: usage?.cacheRead ?? 0,
      tokensOut: usage?.output ?? 0,
      saved: usage && info ? savedBy({ usage, received, previous, summaries, info }) : null,
      overhead: (this.#sent ?? performance.now()) - (this.#read ?? this.#started),
      firstChunk: this.#chunk === undefined ? null : this.#chunk - this.#started,
      duration: performance.now() - this.#started,
    };
  }
}
