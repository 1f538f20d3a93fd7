import { type EngineSession, guardCut, type TargetModel } from 'longhaul/engine';
import type { Conversation, Message } from 'longhaul/message';

/** More attempts than this find nothing smaller. */
const mostAttempts = 12;

/**
 * What would be left if the window forced a cut: the engine's guard, as a view. Each attempt leaves less until the upper
 * bound fits.
 *
 * @example
 * await guarded({ session, model, conversation });
 */
export async function guarded({
  session,
  model,
  conversation: { head, messages, tools },
}: {
  readonly session: EngineSession;
  readonly model: TargetModel;
  readonly conversation: Conversation;
}): Promise<readonly Message[]> {
  const sizeOf = (kept: readonly Message[]) => session.size({ model, tools, messages: [...head, ...kept] });
  const { snapshot, weigh, toolTokens } = await sizeOf(messages);
  const items = messages.map((message) => ({ message, tokens: weigh(message) }));
  const fixed = head.reduce((sum, message) => sum + weigh(message), toolTokens);
  const ours = items.reduce((sum, { tokens }) => sum + tokens, fixed);
  const most = snapshot.window - snapshot.reserve;
  let limit = (most * ours) / Math.max(1, snapshot.bound) - fixed;
  let kept: readonly Message[] = messages;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    kept = guardCut({ items, headCount: 0, limit }).kept.flatMap((index) => messages[index] ?? []);
    if ((await sizeOf(kept)).snapshot.bound <= most) break;
    limit *= 0.9;
  }
  return kept;
}
