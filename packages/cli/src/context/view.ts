import { type EngineSession, guardCut, repairMessages, type TargetModel } from 'longhaul/engine';
import {
  type Conversation,
  codecs,
  type Dialect,
  type Json,
  type Message,
  type Repair,
  writeRequest,
} from 'longhaul/message';
import { conversationOf, type Entry, type EpochEntry, type Session } from 'longhaul/session';
import type { Snapshot } from 'longhaul/tokens';
import { shownEntry } from '../session/shown-entry.ts';
import { targetOf } from '../session/target.ts';

/** What the model would be sent at the current position of a session, in the format of its provider. */
export interface ContextView {
  readonly provider: Dialect;
  readonly conversation: Conversation;
  /** The head in provider format; `null` if the provider keeps it among the messages, or there is none. */
  readonly system: Json;
  readonly messages: readonly Json[];
  readonly tools: Json | undefined;
  readonly size: Snapshot;
  readonly epoch: EpochEntry | undefined;
  /** The entry that `tree` shows for the epoch: the compaction, prune or edit that opened it, or the epoch itself. */
  readonly openedBy: Entry | undefined;
  /** Repairs that were needed for the provider. */
  readonly repairs: readonly Repair[];
  /** How many messages the guard dropped. */
  readonly cut: number;
}

/** The request member for the head, per provider. */
const headKeys: Readonly<Record<Dialect, string | undefined>> = {
  anthropic: 'system',
  'openai-chat': undefined,
  'openai-responses': 'instructions',
  gemini: 'systemInstruction',
};

/**
 * Computes what would be sent. Nothing is written.
 *
 * @example
 * const { messages, size } = await viewOf({ session, settings: values, window: undefined, guard: false });
 */
export async function viewOf({
  session,
  settings,
  window,
  guard,
}: {
  readonly session: EngineSession;
  readonly settings: Parameters<typeof targetOf>[0]['settings'];
  readonly window: number | undefined;
  readonly guard: boolean;
}): Promise<ContextView> {
  const live = session.session;
  const { model, tools } = await targetOf({ session, settings, window });
  const provider = model.dialect;
  const { head, messages } = conversationOf(live);
  const mended = (kept: Conversation['messages']) => repairMessages({ messages: kept, dialect: provider });
  const whole = mended(messages);
  const kept = guard
    ? await guarded({ session, model, conversation: { head, messages: whole.messages, tools } })
    : whole.messages;
  const { messages: sent, repairs } = guard ? mended(kept) : whole;
  const conversation = { head, messages: sent, tools };
  const isCut = kept.length < whole.messages.length;
  const { snapshot } = await session.size({ model, tools, ...(isCut && { messages: [...head, ...sent] }) });
  const body = writeRequest({ dialect: provider, conversation });
  const key = headKeys[provider];
  const items = body[codecs[provider].itemsKey];
  const epoch = await epochOf(live);
  return {
    provider,
    conversation,
    system: (key === undefined ? undefined : body[key]) ?? null,
    messages: Array.isArray(items) ? items : [],
    tools: body.tools,
    size: snapshot,
    epoch,
    openedBy: epoch && (await shownEntry({ session: live, entry: epoch })),
    repairs: guard ? [...whole.repairs, ...repairs] : repairs,
    cut: whole.messages.length - kept.length,
  };
}

async function epochOf(live: Session): Promise<EpochEntry | undefined> {
  const { epoch } = live.context;
  const [entry] = epoch === null ? [] : await live.read({ ids: [epoch] });
  return entry?.type === 'epoch' ? entry : undefined;
}

/** More attempts than this do not shrink it further. */
const mostAttempts = 12;

/**
 * Applies the engine's guard to a copy of the context. Each attempt keeps less, until the upper bound fits.
 *
 * @example
 * await guarded({ session, model, conversation });
 */
async function guarded({
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
