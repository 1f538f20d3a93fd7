import type { Message, Part } from '../../message/index.ts';
import type { Context } from '../context/context.ts';
import { headLength } from '../context/conversation.ts';
import type { ContextItem } from '../context/item.ts';
import type {
  ContextEditEntry,
  Draft,
  EntryId,
  EpochEntry,
  EpochItem,
  MessageEntry,
  ModelName,
  PruneEntry,
} from '../entry/entry.ts';
import { notInContext } from '../errors.ts';

/**
 * The batch that gives a session another head: its messages, then the epoch that puts them in front in place of those
 * that stood there. The epoch names them by the ids that they will get, so that a long system prompt is in the log
 * once and not once an epoch. Where nothing was sent yet there is nothing to change, and no epoch.
 *
 * @example
 * const drafts = headDrafts({ context: session.context, messages, ids: messages.map(() => nextId()) });
 */
export function headDrafts({
  context,
  messages,
  ids,
  model,
}: {
  readonly context: Context;
  readonly messages: readonly Message[];
  /** One for each message. */
  readonly ids: readonly EntryId[];
  readonly model?: ModelName;
}): (Draft<MessageEntry> | Draft<EpochEntry>)[] {
  const said = messages.map((message): Draft<MessageEntry> => ({ type: 'message', message }));
  if (context.items.length === 0) return said;
  const rest = context.items.slice(headLength(context)).map(toEpochItem);
  const list = [...ids.map((entry) => ({ entry })), ...rest];
  return [...said, { type: 'epoch', reason: 'head', items: { list }, ...(model && { model }), codec: codecVersion }];
}

/**
 * The version of what turns entries into sent bytes: the codecs of `longhaul/message` and the sentences around
 * summaries. Every epoch entry records it. Raise it with any change of bytes for messages that could be sent before.
 */
export const codecVersion = 1;

/**
 * What is sent now, as an item of an epoch: by reference where it is an entry, in full where it was made.
 *
 * @example
 * const list = session.context.items.map(toEpochItem);
 */
export function toEpochItem({ message, entry, isMade }: ContextItem): EpochItem {
  if (!isMade && entry !== null) return { entry };
  return { made: message, ...(entry !== null && { for: entry }) };
}

/**
 * The batch that replaces a message in what is sent, or (`null`) leaves it out: the edit, then the epoch that puts it in
 * force. The entry itself stays as it was said.
 *
 * @example
 * await session.appendBatch(editDrafts({ context: session.context, target, replacement: null }));
 */
export function editDrafts({
  context,
  target,
  replacement,
}: {
  readonly context: Context;
  readonly target: EntryId;
  readonly replacement: readonly Part[] | null;
}): [Draft<ContextEditEntry>, Draft<EpochEntry>] {
  if (!context.items.some(({ entry }) => entry === target)) throw notInContext({ what: target });
  const list = context.items.flatMap((item): readonly EpochItem[] => {
    if (item.entry !== target) return [toEpochItem(item)];
    // The message is another now, so what its dialect said beyond the neutral model does not go with it.
    return replacement === null ? [] : [{ made: { role: item.message.role, parts: replacement }, for: target }];
  });
  return [
    { type: 'context_edit', target, replacement },
    { type: 'epoch', reason: 'edit', items: { list }, codec: codecVersion },
  ];
}

/**
 * The batch that elides tool outputs from what is sent: the prune, then the epoch that puts it in force. Calls keep
 * their results; only what the results say is replaced by the notice. Without `part` every result of the message is.
 *
 * @example
 * const targets = [{ entry: result.id, notice: '[Output elided; recall @12 for all of it]' }];
 * await session.appendBatch(pruneDrafts({ context: session.context, targets }));
 */
export function pruneDrafts({
  context,
  targets,
}: {
  readonly context: Context;
  readonly targets: PruneEntry['targets'];
}): [Draft<PruneEntry>, Draft<EpochEntry>] {
  const sent = new Set(context.items.map(({ entry }) => entry));
  for (const { entry } of targets) if (!sent.has(entry)) throw notInContext({ what: entry });
  const list = context.items.map((item) =>
    pruned({ item, targets: targets.filter(({ entry }) => entry === item.entry) }),
  );
  return [
    { type: 'prune', targets },
    { type: 'epoch', reason: 'prune', items: { list }, codec: codecVersion },
  ];
}

function pruned({ item, targets }: { readonly item: ContextItem; readonly targets: PruneEntry['targets'] }): EpochItem {
  if (targets.length === 0 || item.entry === null) return toEpochItem(item);
  const parts = item.message.parts.map((part, index): Part => {
    const target = targets.find((candidate) => candidate.part === undefined || candidate.part === index + 1);
    if (!target || part.type !== 'tool_result') return part;
    const { wire: _, ...rest } = part;
    return { ...rest, content: [{ type: 'text', origin: 'engine', text: target.notice }] };
  });
  const made: Message = { role: item.message.role, parts };
  return { made, for: item.entry };
}
