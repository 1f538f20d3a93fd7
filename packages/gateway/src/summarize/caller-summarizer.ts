import { createExtractiveSummarizer, createModelSummarizer, type Summarizer } from 'longhaul/engine';
import type { SessionId } from 'longhaul/session';
import { LRUCache } from 'lru-cache';
import type { Upstream } from '../upstream.ts';
import { type Caller, createCallerModel } from './caller-model.ts';

/** Summaries by the model of each conversation, with the key of its own client. */
export interface CallerSummarizer extends Summarizer {
  /** The newest request of a conversation: how its model is reached. */
  use(of: { readonly session: SessionId; readonly caller: Caller }): void;
  /** What summaries of a conversation have cost since the last call, in dollars. */
  takeCost(session: SessionId): number;
}

/**
 * Asks the conversation's own model for summaries until they have cost the limit; then, and where the model fails,
 * summaries are made without one.
 *
 * @example
 * const summarizer = createCallerSummarizer({ upstream, maxCost: 1 });
 */
export function createCallerSummarizer({
  upstream,
  maxCost,
}: {
  readonly upstream: Upstream;
  /** Dollars per conversation. */
  readonly maxCost: number;
}): CallerSummarizer {
  const last = createExtractiveSummarizer();
  const callers = new LRUCache<SessionId, Caller>({ max: 256 });
  const spent = new LRUCache<SessionId, number>({ max: 10_000 });
  const unreported = new Map<SessionId, number>();
  return {
    strategy: 'model',
    last,
    use: ({ session, caller }) => void callers.set(session, caller),
    takeCost(session) {
      const cost = unreported.get(session) ?? 0;
      unreported.delete(session);
      return cost;
    },
    async summarize(input) {
      // The engine salts masks with the id of the session.
      const session = input.salt ?? '';
      const caller = callers.get(session);
      if (!caller || (spent.get(session) ?? 0) >= maxCost) return await last.summarize(input);
      const model = createCallerModel({ caller, upstream });
      return await createModelSummarizer({ models: [{ model }], last }).summarize({
        ...input,
        onAttempt(attempt) {
          const { cost = 0 } = attempt;
          spent.set(session, (spent.get(session) ?? 0) + cost);
          unreported.set(session, (unreported.get(session) ?? 0) + cost);
          input.onAttempt?.(attempt);
        },
      });
    },
    ...(last.tailFor && { tailFor: (input) => last.tailFor?.(input) ?? Promise.resolve(undefined) }),
  };
}
