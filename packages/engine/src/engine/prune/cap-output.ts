import { resultText, shorten, waterFill } from '../../analysis/index.ts';
import type { ContentPart, Message, Part, ToolResultPart } from '../../message/index.ts';
import { type ContextItem, type Draft, formatHandle } from '../../session/index.ts';
import { offload } from './offload.ts';

/** A tool result that is too large is capped or offloaded when it is first sent; all of it stays under its handle. */
export function capDraft<D extends Draft>({
  draft,
  offloads: above,
  window = Number.POSITIVE_INFINITY,
  count,
  said,
}: {
  readonly draft: D;
  readonly offloads: number | undefined;
  readonly window: number | undefined;
  readonly count: (text: string) => number;
  readonly said: readonly ContextItem[];
}): D {
  if (draft.type !== 'message' || draft.sent !== undefined) return draft;
  const { message } = draft;
  if (!message.parts.some(({ type }) => type === 'tool_result')) return draft;
  const sentAs = (handle: number) => {
    const aside = above === undefined ? message : offloadOutputs({ message, handle, above, said });
    const capped = capOutputs({ message: aside, handle, window, count });
    return capped === message ? undefined : capped;
  };
  return { ...draft, sentAs };
}

/** Of the window, one result has at most so much. */
const share = 0.5;

/**
 * A message whose tool results are no larger than half of the window each: the beginning and the end of what is longer,
 * with the handle under which all of it is. The cap is for the result as a whole, however many texts it has, and it is
 * measured after the cut. A message that needs no cut comes back as it is.
 *
 * @example
 * const message = capOutputs({ message: result, handle: 12, window: 200_000, count });
 */
export function capOutputs({
  message,
  handle,
  window,
  count,
}: {
  readonly message: Message;
  /** Of the entry that holds the message as it came. */
  readonly handle: number;
  readonly window: number;
  readonly count: (text: string) => number;
}): Message {
  const limit = Math.max(0, Math.floor(window * share));
  const parts = message.parts.map((part, index): Part => {
    if (part.type !== 'tool_result') return part;
    const place = formatHandle({ entry: handle, ...(message.parts.length > 1 && { part: index + 1 }) });
    return capResult({ part, limit, count, place });
  });
  if (parts.every((part, index) => part === message.parts[index])) return message;
  const { wire: _, ...rest } = message;
  return { ...rest, parts };
}

function capResult({
  part,
  limit,
  count,
  place,
}: {
  readonly part: ToolResultPart;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly place: string;
}): ToolResultPart {
  const sizes = part.content.map((inner) => (inner.type === 'text' ? count(inner.text) : 0));
  const cap = waterFill({ sizes, total: limit });
  if (cap === Number.POSITIVE_INFINITY) return part;
  const content = part.content.map((inner, index): ContentPart => {
    if (inner.type !== 'text' || (sizes[index] ?? 0) <= cap) return inner;
    return { type: 'text', origin: inner.origin, text: capText({ text: inner.text, limit: cap, count, place }) };
  });
  const { wire: _, ...rest } = part;
  return { ...rest, content };
}

/**
 * The beginning and the end of a text within a limit. Where the notice does not fit, only the handle is left, and nothing
 * where that does not fit either.
 */
export function capText({
  text,
  limit,
  count,
  place,
}: {
  readonly text: string;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly place: string;
}): string {
  const note = ({ chars, lines }: { readonly chars: number; readonly lines: number }) =>
    `[… ${chars} characters in ${lines} lines left out; recall ${place} for all of it …]`;
  const forms = [() => shorten({ text, limit, count, note }), () => `[recall ${place}]`];
  return forms.map((form) => form()).find((form) => count(form) <= limit) ?? '';
}

/**
 * A message in which pointers stand for its large tool results: what they are, their schema, their beginning and end, and
 * the handle under which all of it is. Whether a result may be kept aside depends on its tool, so the call is looked for
 * where the result does not name it. A message without such results comes back as it is.
 *
 * @example
 * const sent = offloadOutputs({ message: result, handle: 12, above: 8_192, said: [{ message: call }] });
 */
function offloadOutputs({
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
