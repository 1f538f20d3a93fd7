import { guardCut } from 'longhaul/compaction';
import type { Conversation, Message } from 'longhaul/message';
import type { Scale } from './size.ts';

/**
 * What would be left if the window forced a cut: the engine's guard, as a view.
 *
 * @example
 * guarded({ conversation, scale });
 */
export function guarded({
  conversation,
  scale,
}: {
  readonly conversation: Conversation;
  readonly scale: Scale;
}): readonly Message[] {
  const { head, messages, tools } = conversation;
  const { bound, used, reserve } = scale.weigh(conversation);
  const items = messages.map((message) => ({
    message,
    tokens: scale.weigh({ head: [], messages: [message], tools: [] }).used,
  }));
  const fixed = scale.weigh({ head, messages: [], tools }).used;
  // What is estimated loosely needs more room than its likely size.
  const limit = ((scale.window - reserve) * used) / Math.max(1, bound) - fixed;
  const { kept } = guardCut({ items, headCount: 0, limit });
  return kept.flatMap((index) => messages[index] ?? []);
}
