import { addCounts, type EntryCounts, noCounts } from 'longhaul/session';
import { type TokenKind, tokenKinds } from '../session/token-counter.ts';
import type { Counted } from './tally.ts';
import { noUsage, plusUsage } from './usage.ts';

/** What can be added up over sessions. */
export type Sum = EntryCounts & Pick<Counted, 'turns' | 'tokensByKind' | 'usage' | 'dollars'>;

/**
 * A session and those of its sub-agents as one.
 *
 * @example
 * sumOf([session, subAgent]).tokens;
 */
export function sumOf(all: readonly Counted[]): Sum {
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
