import fc from 'fast-check';
import { degenerateCase, prepareDegenerate } from '../../packages/engine/src/engine/fixtures/degenerate.ts';
import type { RunHostile } from './hostile-class.ts';

/** Sessions of which nothing is left to send: results without calls, empty texts, answers alone. */
export const hostileDegenerate: RunHostile = async ({ seed, count }) => {
  const findings: string[] = [];
  for (const given of fc.sample(degenerateCase, { seed, numRuns: count })) {
    const outcome = await prepareDegenerate(given);
    if (outcome !== 'sent' && outcome !== 'refused') findings.push(`${outcome}: ${JSON.stringify(given)}`);
  }
  return { cases: count, findings };
};
