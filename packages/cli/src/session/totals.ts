import type { Entry, SessionId, Store } from 'longhaul/session';
import { readLog } from './read-log.ts';
import type { CountTokens } from './token-counter.ts';

/** How much sessions hold, on every branch. */
export interface Totals {
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly tokens: number;
}

export const nothing: Totals = { entries: 0, messages: 0, toolCalls: 0, toolResults: 0, tokens: 0 };

/** Adds sessions up, and remembers how far it has read: of a session that grew it reads only what is new. */
export interface Adder {
  readonly add: (input: {
    readonly sessions: Iterable<SessionId>;
    readonly onProgress?: (entries: number) => void;
    readonly signal?: AbortSignal;
  }) => Promise<Totals>;
}

/**
 * @example
 * const adder = createAdder({ store, countTokens: await loadTokenCounter() });
 * const { messages, tokens } = await adder.add({ sessions: [session] });
 */
export function createAdder({
  store,
  countTokens,
}: {
  readonly store: Store;
  readonly countTokens: CountTokens;
}): Adder {
  const known = new Map<SessionId, { readonly last: number; readonly sum: Totals }>();
  return {
    async add({ sessions, onProgress, signal }) {
      let sum = nothing;
      for (const session of sessions) {
        let { last, sum: own } = known.get(session) ?? { last: 0, sum: nothing };
        for await (const entry of readLog({ store, session, from: last + 1 })) {
          signal?.throwIfAborted();
          last = entry.handle;
          own = plus(own, ofEntry({ entry, countTokens }));
          if (own.entries % 1000 === 0) onProgress?.(sum.entries + own.entries);
        }
        known.set(session, { last, sum: own });
        sum = plus(sum, own);
      }
      return sum;
    },
  };
}

/** What one entry adds. */
export function ofEntry({ entry, countTokens }: { readonly entry: Entry; readonly countTokens: CountTokens }): Totals {
  if (entry.type !== 'message' && entry.type !== 'custom_message') return { ...nothing, entries: 1 };
  const message = entry.type === 'message' ? entry.message : { role: 'user' as const, parts: entry.parts };
  const tokens = Object.values(countTokens(message)).reduce((a, b) => a + b, 0);
  if (entry.type === 'custom_message') return { ...nothing, entries: 1, tokens };
  const amount = (type: string) => message.parts.filter((part) => part.type === type).length;
  return { entries: 1, messages: 1, toolCalls: amount('tool_call'), toolResults: amount('tool_result'), tokens };
}

export function plus(a: Totals, b: Totals): Totals {
  return {
    entries: a.entries + b.entries,
    messages: a.messages + b.messages,
    toolCalls: a.toolCalls + b.toolCalls,
    toolResults: a.toolResults + b.toolResults,
    tokens: a.tokens + b.tokens,
  };
}
