import type { Message } from '../../message/index.ts';
import { type Snapshot, shares, type TokenShares } from '../../tokens/index.ts';
import { inventoryOf } from '../loss-report.ts';
import { lossKinds } from '../types.ts';
import type { Amounts } from './event.ts';

/**
 * How much is sent, and of what.
 *
 * @example
 * amountsOf({ snapshot, messages: session.context.items.map(({ message }) => message) }).parts.results;
 */
export function amountsOf({
  snapshot,
  messages,
}: {
  readonly snapshot: Snapshot;
  readonly messages: readonly Message[];
}): Amounts {
  const inventory = inventoryOf(messages);
  return {
    tokens: snapshot.used,
    messages: messages.length,
    shares: byName(shares, (share) => snapshot[share]),
    parts: byName(lossKinds, (kind) => inventory[kind].parts),
  };
}

/**
 * What is no longer there. What a summary adds counts against it, so that the numbers add up.
 *
 * @example
 * lessOf({ before, after }).tokens; // 41_000
 */
export function lessOf({ before, after }: { readonly before: Amounts; readonly after: Amounts }): Amounts {
  return {
    tokens: before.tokens - after.tokens,
    messages: before.messages - after.messages,
    shares: byName(shares, (share) => before.shares[share] - after.shares[share]) as TokenShares,
    parts: byName(lossKinds, (kind) => before.parts[kind] - after.parts[kind]),
  };
}

function byName<Name extends string>(names: readonly Name[], of: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, number>;
}
