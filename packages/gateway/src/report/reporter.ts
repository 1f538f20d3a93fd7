import type { SessionId } from 'longhaul/session';
import type { Logger } from 'pino';
import type { GatewayTelemetry } from '../options.ts';
import type { Metrics } from './metrics.ts';
import type { RequestRecord } from './record.ts';
import type { RequestLog } from './request-log.ts';

/** What passed through a gateway since it was started. */
export interface GatewayTotals {
  readonly requests: number;
  /** Tokens of the prompts as clients made them. */
  readonly tokensReceived: number;
  /** Tokens of the prompts as they were sent. */
  readonly tokensForwarded: number;
  readonly compactions: number;
  /** Money saved, net of cache writes and of the gateway's own calls; absent if no price is known. */
  readonly dollarsSaved?: number;
  /** The sessions in the store, the most recently used first. */
  readonly sessions: readonly SessionId[];
}

/** Writes the access line, the metrics and the report of each request. A failure of these never affects a request. */
export class Reporter {
  readonly #log: RequestLog;
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #telemetry: GatewayTelemetry | undefined;
  #totals = { requests: 0, tokensReceived: 0, tokensForwarded: 0, compactions: 0 };
  #saved: number | undefined;
  readonly #sessions = new Set<SessionId>();
  /** Whether the last record could not be written: a full disk is reported once, and not for every request. */
  #isFailing = false;

  constructor({
    log,
    metrics,
    logger,
    telemetry,
  }: {
    readonly log: RequestLog;
    readonly metrics: Metrics;
    readonly logger: Logger;
    readonly telemetry?: GatewayTelemetry | undefined;
  }) {
    this.#log = log;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#telemetry = telemetry;
  }

  get metrics(): Metrics {
    return this.#metrics;
  }

  get log(): RequestLog {
    return this.#log;
  }

  record(record: RequestRecord): void {
    const { session, action, saved, tokensReceived, tokensForwarded } = record;
    const totals = this.#totals;
    this.#totals = {
      requests: totals.requests + 1,
      tokensReceived: totals.tokensReceived + tokensReceived,
      tokensForwarded: totals.tokensForwarded + tokensForwarded,
      compactions: totals.compactions + (action === 'compacted' || action === 'shrunk' ? 1 : 0),
    };
    if (saved !== null) this.#saved = (this.#saved ?? 0) + saved;
    if (session !== null) {
      this.#sessions.delete(session);
      this.#sessions.add(session);
    }
    try {
      this.#metrics.record(record);
      this.#log.add(record);
      this.#telemetry?.request(record);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.warn({ message: String(error) }, 'requests are not added to the report');
      this.#isFailing = true;
    }
    this.#logger.info(record, 'request');
  }

  totals(): GatewayTotals {
    const saved = this.#saved;
    const sessions = [...this.#sessions].toReversed();
    return { ...this.#totals, ...(saved !== undefined && { dollarsSaved: saved }), sessions };
  }
}
