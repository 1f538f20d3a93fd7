import type { ConversationDocument } from 'longhaul/message';

/** Something said about one place in a list of messages. */
interface Placed {
  readonly at: { readonly message: number; readonly part?: number };
}

/**
 * The same things with places counted in the file's own list. The engine counts after the head.
 *
 * @example
 * inFileOrder({ document, items: check(document.conversation.messages, 'openai-chat') });
 */
export function inFileOrder<Item extends Placed>({
  document,
  items,
}: {
  readonly document: ConversationDocument;
  readonly items: readonly Item[];
}): Item[] {
  const before = headInList({ document });
  return items.map((item) => ({ ...item, at: { ...item.at, message: item.at.message + before } }));
}

/** How many entries the file's own list begins with that are head: a bare list and OpenAI's chat keep it there. */
export function headInList({ document }: { readonly document: ConversationDocument }): number {
  const inList = document.shape === 'list' || document.dialect === 'openai-chat';
  return inList ? document.conversation.head.length : 0;
}
