import type { ConversationDocument } from 'longhaul/message';

/** A finding with its position in a list of messages. */
interface Positioned {
  readonly at: { readonly message: number; readonly part?: number };
}

/**
 * Converts positions from the engine's count, which starts after the head, to positions in the file's own list.
 *
 * @example
 * inFileOrder({ document, items: check(document.conversation.messages, 'openai-chat') });
 */
export function inFileOrder<Item extends Positioned>({
  document,
  items,
}: {
  readonly document: ConversationDocument;
  readonly items: readonly Item[];
}): Item[] {
  const before = headInList({ document });
  return items.map((item) => ({ ...item, at: { ...item.at, message: item.at.message + before } }));
}

/** How many entries at the start of the file's list are head; only a bare list and OpenAI chat store it there. */
export function headInList({ document }: { readonly document: ConversationDocument }): number {
  const inList = document.shape === 'list' || document.dialect === 'openai-chat';
  return inList ? document.conversation.head.length : 0;
}
