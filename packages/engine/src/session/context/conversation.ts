import type { Conversation, ToolDefinition } from '../../message/index.ts';
import type { SessionHeader } from '../store/store.ts';
import type { Context } from './context.ts';

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
 * What is sent at a place as a conversation: leading system messages are its head, its tools are those of the header,
 * where an imported request keeps them.
 *
 * @example
 * const body = writeRequest({ dialect: 'anthropic', conversation: conversationOf(session) });
 */
export function conversationOf({
  context,
  header,
}: {
  readonly context: Context;
  readonly header: SessionHeader;
}): Conversation {
  const messages = context.items.map(({ message }) => message);
  const length = headLength(context);
  const listed = header.details?.tools;
  const tools = Array.isArray(listed) ? (listed as unknown as ToolDefinition[]) : [];
  return { head: messages.slice(0, length), messages: messages.slice(length), tools };
}
