import { mend } from 'longhaul/compaction';
import { type Conversation, codecs, type Dialect, type Json, type Repair, writeRequest } from 'longhaul/message';
import { conversationOf, type Entry, type EpochEntry, type Session } from 'longhaul/session';
import type { Snapshot } from 'longhaul/tokens';
import { modelOf, providerOf } from '../session/model-of.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { guarded } from './guard.ts';
import { createScale } from './size.ts';

/** What a model would be sent at the place where a session stands, in its provider's words. */
export interface View {
  readonly provider: Dialect;
  readonly conversation: Conversation;
  /** The head in the provider's words; `null` where the provider keeps it among the messages, or there is none. */
  readonly system: Json;
  readonly messages: readonly Json[];
  readonly tools: Json | undefined;
  readonly size: Snapshot;
  readonly epoch: EpochEntry | undefined;
  /** What `tree` shows for the epoch: the compaction, prune or edit that opened it, or the epoch itself. */
  readonly openedBy: Entry | undefined;
  /** What had to be mended for the provider to take it. */
  readonly repairs: readonly Repair[];
  /** How many messages the guard left out. */
  readonly cut: number;
}

/** Where each provider keeps the head, if it has a place for it. */
const headKeys: Readonly<Record<Dialect, string | undefined>> = {
  anthropic: 'system',
  'openai-chat': undefined,
  'openai-responses': 'instructions',
  gemini: 'systemInstruction',
};

/**
 * Looks at what would be sent. Nothing is written.
 *
 * @example
 * const { messages, size } = await viewOf({ live, provider: undefined, window: undefined, guard: false });
 */
export async function viewOf({
  live,
  provider: wanted,
  window: asked,
  guard,
}: {
  readonly live: Session;
  readonly provider: Dialect | undefined;
  readonly window: number | undefined;
  readonly guard: boolean;
}): Promise<View> {
  const model = await modelOf(live);
  const provider = wanted ?? providerOf({ live, model });
  const window = asked ?? model.window;
  const { head, messages, tools } = conversationOf(live);
  const scale = await createScale({ provider, model, window });
  const mended = (kept: Conversation['messages']) => mend({ messages: kept, dialect: provider });
  const whole = mended(messages);
  const kept = guard ? guarded({ conversation: { head, messages: whole.messages, tools }, scale }) : whole.messages;
  const { messages: sent, repairs } = guard ? mended(kept) : whole;
  const conversation = { head, messages: sent, tools };
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
    size: scale.weigh(conversation),
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
