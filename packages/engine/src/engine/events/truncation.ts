import type { Context } from '../../session/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import type { ContextSize, EngineEvents } from './event.ts';

/** How much is sent, by the ledger. */
export function sizeOf({ snapshot, context }: { readonly snapshot: Snapshot; readonly context: Context }): ContextSize {
  return { tokens: snapshot.used, messages: context.items.length };
}

/**
 * The event for a cut that no summary replaces.
 *
 * @example
 * emit('truncation', truncationOf({ by: 'guard', limit: budget.limit, before, after }));
 */
export function truncationOf({
  before,
  after,
  ...about
}: Omit<EngineEvents['truncation'], 'removed'>): EngineEvents['truncation'] {
  const removed = { tokens: before.tokens - after.tokens, messages: before.messages - after.messages };
  return { ...about, before, after, removed };
}
