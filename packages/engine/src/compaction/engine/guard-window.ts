import { BudgetExceededError } from '../../errors.ts';
import { type ToolDefinition, withoutProviderCompaction } from '../../message/index.ts';
import {
  type ContextItem,
  codecVersion,
  type EntryId,
  headLength,
  type Session,
  toEpochItem,
} from '../../session/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import type { Emit } from '../events/event.ts';
import { guardCut } from '../guard/guard.ts';
import { isSpoken } from '../human/spoken.ts';
import { type Budget, smallestRoom } from '../plan/budget.ts';
import { fitAll } from '../shrink/fit.ts';
import { withoutOldThoughts } from '../shrink/thinking.ts';
import type { Scale } from './scale.ts';

/**
 * The last guard before a request: cuts what is sent below the limit, as an entry of the log, so that another machine
 * sends the same. What may not be cut is shortened; where the head and the tools alone are too large, that is an error.
 */
export async function guardWindow({
  session,
  scale,
  budget,
  tools,
  snapshot,
  emit,
}: {
  readonly session: Session;
  readonly scale: Scale;
  readonly budget: Budget;
  readonly tools: readonly ToolDefinition[];
  readonly snapshot: Snapshot;
  readonly emit: Emit;
}): Promise<EntryId> {
  const { items } = session.context;
  const headCount = headLength(session.context);
  const weighed = items.map(({ message }) => ({ message, tokens: scale.scales.weigh(message) }));
  const overhead = scale.toolTokens(tools);
  const ours = weighed.reduce((sum, { tokens }) => sum + tokens, overhead);
  // In our own measure: how much of our count makes the limit of the provider's, at worst.
  const limit = Math.floor((budget.limit * ours) / Math.max(1, snapshot.bound)) - overhead;
  const head = weighed.slice(0, headCount).reduce((sum, { tokens }) => sum + tokens, 0);
  const room = limit - head;
  if (room < smallestRoom) {
    throw new BudgetExceededError({ part: 'The head and the tools', excess: smallestRoom - room, limit: budget.limit });
  }
  const handles = await handlesOf({ session, items });
  const total = Math.floor(room * 0.9);
  const kept = guardCut({ items: weighed, headCount, limit }).kept.filter((index) => index >= headCount);
  let sent = fitted(kept);
  // Many small parts that may not be parted can still be too much. Then what was asked last is all that stays.
  if (tokensOf(sent) > room) sent = fitted([latestOf(items)]);
  if (tokensOf(sent) > room) {
    const excess = tokensOf(sent) - room;
    throw new BudgetExceededError({ part: 'The latest message', excess, limit: budget.limit });
  }
  const list = [...items.slice(0, headCount), ...sent.flatMap(({ item }) => item)].map(toEpochItem);
  const { id } = await session.append({
    ...{ type: 'epoch', reason: 'guard', items: { list }, model: scale.model.id, codec: codecVersion },
  });
  const reduced = sent.filter(({ isReduced }) => isReduced).length;
  const dropped = items.length - headCount - sent.length;
  emit('guard', { dropped, reduced, tokensAfter: tokensOf(sent) + head + overhead });
  return id;

  function fitted(places: readonly number[]): readonly Fitted[] {
    const originals = places.flatMap((index) => items[index] ?? []);
    const messages = withoutOldThoughts(originals.map(({ message }) => withoutProviderCompaction(message)));
    const all = messages.map((message, place) => {
      const handle = handles.get(originals[place]?.entry ?? '');
      return { message, handle, tokens: scale.scales.weigh(message) };
    });
    return fitAll({ items: all, total, scales: scale.scales }).flatMap(({ message, tokens }, place) => {
      const item = originals[place];
      if (!item || message.parts.length === 0) return [];
      const isReduced = message !== item.message;
      return [{ item: isReduced ? { ...item, message, isMade: true } : item, tokens, isReduced }];
    });
  }
}

interface Fitted {
  readonly item: ContextItem;
  readonly tokens: number;
  readonly isReduced: boolean;
}

function tokensOf(list: readonly Fitted[]): number {
  return list.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** What was said to the model last. */
function latestOf(items: readonly ContextItem[]): number {
  const said = items.findLastIndex(({ message }) => isSpoken(message));
  return said < 0 ? items.findLastIndex(({ message }) => message.role === 'user') : said;
}

async function handlesOf(of: {
  readonly session: Session;
  readonly items: readonly ContextItem[];
}): Promise<ReadonlyMap<EntryId, number>> {
  const ids = of.items.flatMap(({ entry }) => entry ?? []);
  const entries = await of.session.read({ ids });
  return new Map(entries.map(({ id, handle }) => [id, handle]));
}
