import type { Message } from '../../message/index.ts';
import type { Context } from '../context/context.ts';
import type { Draft, EntryId, EpochEntry, MessageEntry, ModelName } from '../entry/entry.ts';
import { codecVersion } from './codec.ts';
import { toEpochItem } from './items.ts';

/**
 * How many of the items that are sent are the head: the system messages in front.
 *
 * @example
 * const head = session.context.items.slice(0, headLength(session.context));
 */
export function headLength({ items }: Pick<Context, 'items'>): number {
  const start = items.findIndex(({ message }) => message.role !== 'system');
  return start < 0 ? items.length : start;
}

/**
 * The batch that gives a session another head: its messages, then the epoch that puts them in front in place of those
 * that stood there. The epoch names them by the ids that they will get, so that a long system prompt stands in the log
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
