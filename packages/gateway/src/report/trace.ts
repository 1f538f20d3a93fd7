import { type ModelInfo, promptTokens, type Usage } from 'longhaul/models';
import type { SessionId } from 'longhaul/session';
import { type RequestAction, type RequestRecord, savedBy } from './record.ts';

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

  /** How many times larger the client's prompt was than what was sent. */
  get ratio(): number {
    return this.sentBytes > 0 ? Math.max(1, this.receivedBytes / this.sentBytes) : 1;
  }

  record({ previousTokens }: { readonly previousTokens: (session: SessionId) => number }): RequestRecord {
    const { client, upstream, model, session, status, action, usage, info } = this;
    const forwarded = usage ? promptTokens(usage) : 0;
    const received = Math.round(forwarded * this.ratio);
    const previous = session === null || !usage ? 0 : previousTokens(session);
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
      saved: usage && info ? savedBy({ usage, received, previous, info }) : null,
      overhead: (this.#sent ?? performance.now()) - (this.#read ?? this.#started),
      duration: performance.now() - this.#started,
    };
  }
}
