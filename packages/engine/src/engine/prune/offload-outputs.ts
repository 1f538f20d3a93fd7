import { resultText } from '../../analysis/index.ts';
import type { ContentPart, Message, Part, ToolResultPart } from '../../message/index.ts';
import { formatHandle } from '../../session/index.ts';
import { offload } from './offload.ts';

/**
 * A message in which pointers stand for its large tool results: what they are, their schema, their beginning and end, and
 * the handle under which all of it is. Whether a result may be kept aside depends on its tool, so the call is looked for
 * where the result does not name it. A message without such results comes back as it is.
 *
 * @example
 * const sent = offloadOutputs({ message: result, handle: 12, above: 8_192, said: [{ message: call }] });
 */
export function offloadOutputs({
  message,
  handle,
  above,
  said,
}: {
  readonly message: Message;
  /** Of the entry that holds the message as it came. */
  readonly handle: number;
  /** Bytes. */
  readonly above: number;
  /** What was said before, for the names of tools. */
  readonly said: readonly { readonly message: Message }[];
}): Message {
  const parts = message.parts.map((part, index): Part => {
    if (part.type !== 'tool_result') return part;
    const text = resultText(part);
    // Most are small; those need no name.
    if (text.length * 3 <= above) return part;
    const place = formatHandle({ entry: handle, ...(message.parts.length > 1 && { part: index + 1 }) });
    const aside = offload({ text, name: nameOf({ part, said }), handle: place, above });
    return aside && aside.pointer.length < text.length ? pointed({ part, pointer: aside.pointer }) : part;
  });
  if (parts.every((part, index) => part === message.parts[index])) return message;
  const { wire: _, ...rest } = message;
  return { ...rest, parts };
}

/** Images stay; the pointer replaces the first text. It quotes a tool, so its origin is the tool. */
function pointed({ part, pointer }: { readonly part: ToolResultPart; readonly pointer: string }): ToolResultPart {
  const first = part.content.findIndex(({ type }) => type === 'text');
  const content = part.content.flatMap((inner, index): ContentPart[] => {
    if (inner.type !== 'text') return [inner];
    return index === first ? [{ type: 'text', origin: 'tool', text: pointer }] : [];
  });
  const { wire: _, ...rest } = part;
  return { ...rest, content };
}

function nameOf({
  part,
  said,
}: {
  readonly part: ToolResultPart;
  readonly said: readonly { readonly message: Message }[];
}): string {
  if (part.name !== undefined) return part.name;
  for (const { message } of said.toReversed()) {
    const call = message.parts.find((one) => one.type === 'tool_call' && one.id === part.callId);
    if (call?.type === 'tool_call') return call.name;
  }
  return '';
}
