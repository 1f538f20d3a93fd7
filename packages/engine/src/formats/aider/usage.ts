import type { Draft, UsageEntry } from '../../session/index.ts';

const amount = '([\\d.,]+[kM]?)';
const report = new RegExp(
  `^Tokens: ${amount} sent(?:, ${amount} cache write)?(?:, ${amount} cache hit)?, ${amount} received\\.`,
);

/**
 * What aider prints after an answer, as a usage note; `undefined` for any other line. Large numbers come rounded.
 *
 * @example
 * readUsageLine('Tokens: 11,336 sent, 1.4k received. Cost: $0.05 message, $0.05 session.');
 */
export function readUsageLine(text: string): Draft<UsageEntry> | undefined {
  const found = report.exec(text);
  if (!found) return undefined;
  const [sent = 0, cacheWrite = 0, cacheRead = 0, output = 0] = found.slice(1).map(numberOf);
  // What is written to the cache is counted as sent as well.
  const usage = { input: Math.max(0, sent - cacheWrite), output, cacheRead, cacheWrite };
  return { type: 'usage', usage, details: { aider: text } };
}

function numberOf(written: string | undefined): number {
  if (written === undefined) return 0;
  const scale = written.endsWith('k') ? 1000 : written.endsWith('M') ? 1_000_000 : 1;
  return Math.round(Number.parseFloat(written.replaceAll(',', '')) * scale) || 0;
}
