import { LonghaulError } from 'longhaul';
import type { Message, Part } from 'longhaul/message';
import type { Entry, Session } from 'longhaul/session';

/**
 * Replaces the text of a message in what is sent, or leaves the message out. The log keeps the original.
 *
 * @example
 * await editContext({ live, entry, text: undefined }); // left out
 */
export async function editContext({
  live,
  entry,
  text,
}: {
  readonly live: Session;
  readonly entry: Entry;
  /** Leaves the message out if undefined. */
  readonly text: string | undefined;
}): ReturnType<Session['edit']> {
  if (entry.type !== 'message') throw notEditable({ entry, why: `is no message, but of the kind ${entry.type}` });
  if (text?.trim() === '') throw notEditable({ entry, why: 'cannot be sent without any text' });
  const item = live.context.items.find((each) => each.entry === entry.id);
  if (!item) throw notEditable({ entry, why: 'is not in what the model is sent now' });
  // The agent would write its own head again with the next request.
  if (item.message.role === 'system') throw notEditable({ entry, why: 'is part of the system prompt' });
  const replacement = text === undefined ? null : partsWith({ message: item.message, entry, text });
  return await live.edit({ target: entry.id, replacement });
}

/** Calls and media stay. Thinking goes: it is signed for the text that it led to. */
function partsWith(of: { readonly message: Message; readonly entry: Entry; readonly text: string }): readonly Part[] {
  const { message, entry, text } = of;
  const results = message.parts.filter((part) => part.type === 'tool_result');
  if (results.length > 1) throw notEditable({ entry, why: `holds ${results.length} tool results` });
  const [result] = results;
  if (result) {
    const { wire: _, ...plain } = result;
    return [{ ...plain, content: [{ type: 'text', origin: result.origin, text }] }];
  }
  const origin = message.parts.find(({ type }) => type === 'text')?.origin;
  const others = message.parts.filter(({ type }) => type !== 'text' && type !== 'thinking');
  return [{ type: 'text', origin: origin ?? (message.role === 'assistant' ? 'model' : 'human'), text }, ...others];
}

function notEditable({ entry, why }: { readonly entry: Entry; readonly why: string }): LonghaulError {
  return new LonghaulError({
    code: 'not-editable',
    message: `@${entry.handle} ${why}.`,
    hint: '`longhaul context SESSION` lists the messages that are sent; --remove leaves one out.',
  });
}
