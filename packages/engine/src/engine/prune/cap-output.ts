import { shorten, waterFill } from '../../analysis/index.ts';
import type { ContentPart, Message, Part, ToolResultPart } from '../../message/index.ts';
import { type ContextItem, type Draft, formatHandle } from '../../session/index.ts';
import { offloadOutputs } from './offload-outputs.ts';

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
