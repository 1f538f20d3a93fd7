import { addCounts, countEntry, type EntryCounts, noCounts, type SessionId, type Store } from 'longhaul/session';
import { readLog } from './read-log.ts';
import type { TokenCounter } from './token-counter.ts';

/** Adds sessions up, and remembers how far it has read: of a session that grew it reads only what is new. */
export interface Adder {
  readonly add: (input: {
    readonly sessions: Iterable<SessionId>;
    readonly onProgress?: (entries: number) => void;
    readonly signal?: AbortSignal;
  }) => Promise<EntryCounts>;
}

/**
 * @example
 * const adder = createAdder({ store, countTokens: (await loadTokenCounter()).count });
 * const { messages, tokens } = await adder.add({ sessions: [session] });
 */
export function createAdder({
  store,
  countTokens,
}: {
  readonly store: Store;
  readonly countTokens: TokenCounter['count'];
}): Adder {
  const known = new Map<SessionId, { readonly last: number; readonly sum: EntryCounts }>();
  return {
    async add({ sessions, onProgress, signal }) {
      let sum = noCounts;
      for (const session of sessions) {
        let { last, sum: own } = known.get(session) ?? { last: 0, sum: noCounts };
        for await (const entry of readLog({ store, session, from: last + 1 })) {
          signal?.throwIfAborted();
          last = entry.handle;
          own = addCounts(own, countEntry({ entry, countTokens }));
          if (own.entries % 1000 === 0) onProgress?.(sum.entries + own.entries);
        }
        known.set(session, { last, sum: own });
        sum = addCounts(sum, own);
      }
      return sum;
    },
  };
}
