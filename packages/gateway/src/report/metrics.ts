import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestRecord } from './record.ts';

/** The metrics of a gateway in the format of Prometheus. */
export interface Metrics {
  record(record: RequestRecord): void;
  /** A request began; call the result when it has ended. */
  started(): () => void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** Creates the metrics of one gateway; several in a process do not share them. */
export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const requests = new Counter({
    name: 'longhaul_gateway_requests_total',
    help: 'Requests by upstream, what was done with them, and HTTP status.',
    labelNames: ['upstream', 'action', 'status'],
    registers,
  });
  const tokens = new Counter({
    name: 'longhaul_gateway_tokens_total',
    help: 'Tokens: received (of the prompts as clients made them), forwarded, cached (of those), out.',
    labelNames: ['kind'],
    registers,
  });
  const saved = new Gauge({
    name: 'longhaul_gateway_saved_dollars',
    help: 'Money saved since the start, net of cache writes and of summaries.',
    registers,
  });
  const buckets = [0.5, 1, 2, 3, 5, 10, 15, 25, 50, 100, 250, 1000, 5000];
  const overhead = new Histogram({
    name: 'longhaul_gateway_overhead_milliseconds',
    help: 'Time that the gateway added before a request was sent.',
    buckets,
    registers,
  });
  const open = new Gauge({ name: 'longhaul_gateway_open_requests', help: 'Requests in progress.', registers });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    started() {
      open.inc();
      return () => open.dec();
    },
    record(record) {
      const { upstream, action, status } = record;
      requests.inc({ upstream, action, status: String(status) });
      tokens.inc({ kind: 'received' }, record.tokensReceived);
      tokens.inc({ kind: 'forwarded' }, record.tokensForwarded);
      tokens.inc({ kind: 'cached' }, record.tokensCached);
      tokens.inc({ kind: 'out' }, record.tokensOut);
      saved.inc(record.saved ?? 0);
      if (record.session !== null) overhead.observe(record.overhead);
    },
  };
}
