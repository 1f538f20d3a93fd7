import { createGateway, type GatewayOptions, type GatewayTotals } from '@longhaul/gateway';

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
    totals: () => gateway.totals(),
  };
};
