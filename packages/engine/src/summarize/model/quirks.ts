import { isObject } from '../../json.ts';
import type { DocumentPart, ImagePart, Message, Part, TextPart } from '../../message/index.ts';
import type { ModelInfo, QuirkName } from '../../models/index.ts';

type MessageChange = (messages: readonly Message[]) => Message[];

/** How a quirk changes the messages of a request that does not reuse a cached prefix. */
const changes: Partial<Readonly<Record<QuirkName, MessageChange>>> = {
  stripToolSearchPairs: withoutToolSearch,
  stripOrphanedCalls: withoutOrphans,
  imagesToPlaceholders: (messages) => eachPart(messages, placeholder),
  stripBreakpoints: (messages) => eachPart(messages, withoutMark),
};

/**
 * The messages of a conversation as a model accepts them in a summary request (D16). The catalog says which model has
 * which quirk.
 *
 * @example
 * const messages = withQuirks({ messages: live.items, info: model.info });
 */
export function withQuirks({
  messages,
  info,
}: {
  readonly messages: readonly Message[];
  readonly info: Pick<ModelInfo, 'quirks'>;
}): Message[] {
  return info.quirks.reduce<Message[]>((list, quirk) => changes[quirk]?.(list) ?? list, [...messages]);
}

/** Removes calls and results of the provider's own tool search. */
function withoutToolSearch(messages: readonly Message[]): Message[] {
  const searches = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool_call' && isToolSearch(part.name) ? [part.id] : [])),
    ),
  );
  return withParts(messages, (part) => {
    if (part.type === 'tool_call') return !searches.has(part.id);
    if (part.type === 'tool_result') return !searches.has(part.callId);
    if (part.type !== 'opaque') return true;
    const name = isObject(part.value) ? part.value.name : undefined;
    const isCall = part.kind === 'server_tool_use' && typeof name === 'string' && isToolSearch(name);
    return !isCall && !part.kind.startsWith('tool_search');
  });
}

function isToolSearch(name: string): boolean {
  return /^tool_search/.test(name);
}

/** Removes calls without a result and results without a call. */
function withoutOrphans(messages: readonly Message[]): Message[] {
  const parts = messages.flatMap((message) => message.parts);
  const called = new Set(parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])));
  const answered = new Set(parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])));
  return withParts(messages, (part) => {
    if (part.type === 'tool_call') return answered.has(part.id);
    return part.type !== 'tool_result' || called.has(part.callId);
  });
}

/** An image costs over a thousand tokens and adds nothing to a summary. */
function placeholder(part: Part): Part {
  if (part.type === 'image' || part.type === 'document') return named(part);
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((inner) =>
    inner.type === 'image' || inner.type === 'document' ? named(inner) : inner,
  );
  if (content.every((inner, index) => inner === part.content[index])) return part;
  const { wire: _, ...rest } = part;
  return { ...rest, content };
}

function named({ type, origin }: ImagePart | DocumentPart): TextPart {
  return { type: 'text', origin, text: `[${type}]` };
}

function withoutMark(part: Part): Part {
  if (part.cache === undefined) return part;
  const { cache: _, ...rest } = part;
  return rest;
}

function eachPart(messages: readonly Message[], change: (part: Part) => Part): Message[] {
  return messages.map((message) => {
    const parts = message.parts.map(change);
    return parts.every((part, index) => part === message.parts[index]) ? message : withoutWire({ ...message, parts });
  });
}

/** Messages without remaining parts are removed. */
function withParts(messages: readonly Message[], keeps: (part: Part) => boolean): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(keeps);
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [withoutWire({ ...message, parts })];
  });
}

function withoutWire({ wire: _, ...message }: Message): Message {
  return message;
}
