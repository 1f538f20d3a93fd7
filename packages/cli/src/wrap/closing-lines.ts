import type { GatewayTotals } from '@longhaul/gateway';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';

/**
 * The two lines that `longhaul wrap` prints when the client has ended: what was saved, and how to look inside.
 *
 * @example
 * closingLines({ title: 'Codex', totals }).join('\n');
 */
export function closingLines({
  title,
  totals: { requests, tokensReceived, tokensForwarded, compactions, dollarsSaved, sessions },
}: {
  readonly title: string;
  readonly totals: GatewayTotals;
}): string[] {
  if (requests === 0)
    return [
      `longhaul: ${title} sent no request through the gateway.`,
      'longhaul: see docs/gateway.md for its settings.',
    ];
  const saved = tokensReceived - tokensForwarded;
  const share = tokensReceived > 0 ? ` (${((100 * saved) / tokensReceived).toFixed(0)} %)` : '';
  const money = dollarsSaved === undefined ? '' : `, $${dollarsSaved.toFixed(2)}`;
  const [last] = sessions;
  const more = sessions.length > 1 ? ` (${number(sessions.length)} conversations: longhaul sessions)` : '';
  return [
    `longhaul: ${count({ amount: requests, of: 'request' })}, ${count({ amount: compactions, of: 'compaction' })}; saved ${number(saved)} of ${number(tokensReceived)} input tokens${share}${money}.`,
    last === undefined
      ? 'longhaul: no conversation was stored.'
      : `longhaul: look inside with: longhaul context ${last.slice(0, 13)} · longhaul search --session ${last.slice(0, 13)} TEXT${more}`,
  ];
}
