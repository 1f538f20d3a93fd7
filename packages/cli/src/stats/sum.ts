import { type TokenKind, tokenKinds } from '../session/token-counter.ts';
import { nothing, plus } from '../session/totals.ts';
import type { Counted } from './tally.ts';
import { noUsage, plusUsage } from './usage.ts';

/** What can be added up over sessions. */
export type Sum = Pick<
  Counted,
  'entries' | 'messages' | 'toolCalls' | 'toolResults' | 'tokens' | 'turns' | 'tokensByKind' | 'usage' | 'dollars'
>;

/**
 * A session and those of its sub-agents as one.
 *
 * @example
 * sumOf([session, subAgent]).tokens;
 */
export function sumOf(all: readonly Counted[]): Sum {
  const tokens = (kind: TokenKind) => all.reduce((sum, { tokensByKind }) => sum + tokensByKind[kind], 0);
  const priced = all.flatMap(({ dollars }) => dollars ?? []);
  const { entries, messages, toolCalls, toolResults, tokens: inAll } = all.reduce(plus, nothing);
  return {
    entries,
    messages,
    toolCalls,
    toolResults,
    tokens: inAll,
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    tokensByKind: Object.fromEntries(tokenKinds.map((kind) => [kind, tokens(kind)])) as Record<TokenKind, number>,
    usage: all.map(({ usage }) => usage).reduce(plusUsage, noUsage),
    dollars: priced.length === 0 ? null : priced.reduce((a, b) => a + b),
  };
}
