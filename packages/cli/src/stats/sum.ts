import { addCounts, type EntryCounts, noCounts } from 'longhaul/session';
import { type TokenKind, tokenKinds } from '../session/token-counter.ts';
import type { SessionStats } from './tally.ts';
import { noUsage, plusUsage } from './usage.ts';

/** EntryCounts that can be summed over sessions. */
export type StatsSum = EntryCounts & Pick<SessionStats, 'turns' | 'tokensByKind' | 'usage' | 'dollars'>;

/**
 * The counts of a session and its sub-agents as one.
 *
 * @example
 * sumOf([session, subAgent]).tokens;
 */
export function sumOf(all: readonly SessionStats[]): StatsSum {
  const tokens = (kind: TokenKind) => all.reduce((sum, { tokensByKind }) => sum + tokensByKind[kind], 0);
  const priced = all.flatMap(({ dollars }) => dollars ?? []);
  return {
    ...all.reduce<EntryCounts>(addCounts, noCounts),
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    tokensByKind: Object.fromEntries(tokenKinds.map((kind) => [kind, tokens(kind)])) as Record<TokenKind, number>,
    usage: all.map(({ usage }) => usage).reduce(plusUsage, noUsage),
    dollars: priced.length === 0 ? null : priced.reduce((a, b) => a + b),
  };
}
