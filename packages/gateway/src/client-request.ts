import {
  codecs,
  type Dialect,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type ToolDefinition,
} from 'longhaul/message';
import { type BodySpans, readSpans, type Span } from './body-spans.ts';
import { type Chain, chainSeed, extendChain, hashItem } from './conversation/chain.ts';
import { isRecord } from './json.ts';
import type { KnownRequest, KnownRequests } from './known-requests.ts';
import type { KnownRoute } from './route.ts';

/** A request of a client, read as far as it is needed. Everything is found in its bytes, which stay as received. */
export interface ClientRequest {
  readonly dialect: Dialect;
  readonly model: string;
  /** The body, decompressed. */
  readonly bytes: Buffer;
  readonly spans: BodySpans;
  /** Items in front of the conversation that are system text. */
  readonly headItems: readonly Span[];
  /** The items of the conversation. */
  readonly items: readonly Span[];
  /** The beginning of the answer, where the client wrote it: it comes back as a part of the answer, if at all. */
  readonly prefill: Span | undefined;
  /** The identity of the conversation, item by item. */
  readonly chain: Chain;
  /** The response that it continues on the server's side (Responses API, threads): its items are only those after it. */
  readonly previous: string | undefined;
  /** Whether the conversation is a thread of the Messages API: the server holds it, with its system text and tools. */
  readonly isThread: boolean;
  /** System messages without cache markers and without what clients change on every request. */
  readonly head: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Whether the model may not call the tools that are offered. */
  readonly forbidsTools: boolean;
  readonly isStream: boolean;
  /** A top-level member, parsed. */
  member(name: string): Json | undefined;
  /** The items from here on as neutral messages, without cache markers. */
  messagesFrom(index: number): readonly Message[];
  item(span: Span): Json;
}

/**
 * Reads a request body. `undefined` for what carries no conversation that the gateway can follow; it is passed through.
 */
export function readClientRequest({
  bytes,
  route,
  known,
  itemById,
  isStream,
}: {
  readonly bytes: Buffer;
  readonly route: KnownRoute;
  /** Requests that were read before: what is the same is not read again. */
  readonly known: KnownRequests;
  /** An item of an earlier answer, for clients that name it by its id only. */
  readonly itemById: (id: string) => Json | undefined;
  /** Where the path says so. */
  readonly isStream: boolean;
}): ClientRequest | undefined {
  const { dialect } = route;
  const codec = codecs[dialect];
  const { spans, before, remember } = readKnown({ bytes, dialect, known });
  const all = spans && itemsOf({ bytes, spans, itemsKey: codec.itemsKey });
  if (!spans || !all || all.length === 0) return undefined;
  const member = (name: string): Json | undefined => {
    const span = spans.members.get(name);
    return span && parse(bytes, span);
  };
  const item = (span: Span): Json => resolved({ item: asItem(parse(bytes, span)), dialect, itemById });
  const model = route.model ?? member('model');
  if (typeof model !== 'string') return undefined;
  const isSame = before !== undefined && spans.shared > before.headItems.length;
  const leading = isSame ? before.headItems.length : leadingItems({ all, item, dialect });
  const prefill = prefillOf({ all: all.slice(leading), item, dialect });
  const items = all.slice(leading, prefill ? -1 : undefined);
  if (items.length === 0) return undefined;
  const choice = member('tool_choice');
  const thread = dialect === 'anthropic' ? (member('thread') ?? null) : null;
  const continued =
    dialect === 'openai-responses' ? member('previous_response_id') : isRecord(thread) && thread.previous_message_id;
  const previous = typeof continued === 'string' ? continued : undefined;
  const seed = chainSeed(previous === undefined ? dialect : responseKey(previous));
  const chain =
    isSame && before.previous === previous ? before.chain.slice(0, Math.min(spans.shared - leading, items.length)) : [];
  const added = items.slice(chain.length).map((span) => hashItem(item(span)));
  const names = headMembers[dialect];
  const hasSameHead = isSame && isEqual({ request: { bytes, spans }, before, names });
  const hasSameTools = before !== undefined && isEqual({ request: { bytes, spans }, before, names: ['tools'] });
  const request: ClientRequest = {
    dialect,
    model,
    bytes,
    spans,
    headItems: all.slice(0, leading),
    items,
    prefill,
    chain: [...chain, ...extendChain({ from: chain.at(-1) ?? seed, hashes: added })],
    previous,
    isThread: thread !== null,
    head: hasSameHead
      ? before.head
      : [...codec.readHead(membersOf({ member, names })), ...codec.decode(all.slice(0, leading).map(item))].flatMap(
          stableHead,
        ),
    tools: hasSameTools
      ? before.tools
      : codec.readTools(membersOf({ member, names: ['tools'] })).map(({ cache: _, ...tool }) => tool),
    forbidsTools: choice === 'none' || (isRecord(choice) && choice.type === 'none'),
    isStream: isStream || member('stream') === true,
    member,
    messagesFrom(index) {
      // Gemini's calls may have no ids; they are known by their order in the whole list.
      const from = dialect === 'gemini' ? 0 : index;
      const messages = codec.decode(items.slice(from).map(item)).map(withoutMarks);
      return messages.slice(index - from);
    },
    item,
  };
  remember?.(request);
  return request;
}

/** Where the parts of a body are, and the request whose items it begins with. */
function readKnown({
  bytes,
  dialect,
  known,
}: {
  readonly bytes: Buffer;
  readonly dialect: Dialect;
  readonly known: KnownRequests;
}) {
  let found: ReturnType<KnownRequests['find']> | undefined;
  const spans = readSpans({
    bytes,
    itemsKey: codecs[dialect].itemsKey,
    readBefore(first) {
      found = known.find({ dialect, bytes, first });
      const { before } = found;
      return before && { bytes: before.bytes, items: before.spans.items ?? [] };
    },
  });
  return { spans, ...found };
}

/** Whether two requests have the same bytes in these members. */
function isEqual({
  request,
  before,
  names,
}: {
  readonly request: Pick<ClientRequest, 'bytes' | 'spans'>;
  readonly before: KnownRequest;
  readonly names: readonly string[];
}): boolean {
  return names.every((name) => {
    const [a, b] = [request.spans.members.get(name), before.spans.members.get(name)];
    if (!a || !b) return a === b;
    return request.bytes.compare(before.bytes, b.start, b.end, a.start, a.end) === 0;
  });
}

const headMembers: Readonly<Record<Dialect, readonly string[]>> = {
  anthropic: ['system'],
  'openai-chat': [],
  'openai-responses': ['instructions'],
  gemini: ['systemInstruction', 'system_instruction'],
};

/** The list of items, or the one text that the Responses API takes in its place. */
function itemsOf({ bytes, spans, itemsKey }: { bytes: Buffer; spans: BodySpans; itemsKey: string }) {
  const text = spans.members.get(itemsKey);
  return spans.items ?? (text && itemsKey === 'input' && bytes[text.start] === 0x22 ? [text] : undefined);
}

/** What a chain of items after a response on the server's side begins with. */
export function responseKey(id: string): string {
  return `response:${id}`;
}

/** `{ type: 'item_reference', id }`, or only `{ id }`, refers to an item that the server has. */
function resolved({
  item,
  dialect,
  itemById,
}: {
  readonly item: Json;
  readonly dialect: Dialect;
  readonly itemById: (id: string) => Json | undefined;
}): Json {
  if (dialect !== 'openai-responses' || !isRecord(item) || typeof item.id !== 'string') return item;
  const isReference = item.type === 'item_reference' || (item.type === undefined && item.role === undefined);
  return isReference ? (itemById(item.id) ?? item) : item;
}

function asItem(value: Json): Json {
  return typeof value === 'string' ? { role: 'user', content: value } : value;
}

/** Leading system and developer messages of dialects that have them in the list. */
function leadingItems({ all, item, dialect }: { all: readonly Span[]; item: (span: Span) => Json; dialect: Dialect }) {
  if (dialect === 'anthropic' || dialect === 'gemini') return 0;
  const end = all.findIndex((span) => {
    const [message] = codecs[dialect].decode([item(span)]);
    return message?.role !== 'system' || message.parts.some(({ type }) => type !== 'text');
  });
  return end < 0 ? all.length : end;
}

/** Characters of a prefill that need not be counted; a longer one is an item like any other. */
const longestPrefill = 2_000;

/** A last item in the model's role that is only text. The Responses API has none. */
function prefillOf({ all, item, dialect }: { all: readonly Span[]; item: (span: Span) => Json; dialect: Dialect }) {
  const last = all.at(-1);
  if (!last || all.length === 1 || dialect === 'openai-responses' || last.end - last.start > longestPrefill)
    return undefined;
  const value = item(last);
  const isModel = isRecord(value) && (value.role === 'assistant' || value.role === 'model');
  const [message] = isModel ? codecs[dialect].decode([value]) : [];
  return message?.parts.every(({ type }) => type === 'text') ? last : undefined;
}

function membersOf({ member, names }: { member: ClientRequest['member']; names: readonly string[] }): JsonObject {
  return Object.fromEntries(names.map((name) => [name, member(name)]));
}

/** Claude Code and its imitators put a line with a checksum of the request into the system prompt. */
const billingLine = 'x-anthropic-billing-header:';

function stableHead(message: Message): Message[] {
  const { parts } = withoutMarks(message);
  const kept = parts.filter((part) => part.type !== 'text' || !part.text.startsWith(billingLine));
  return kept.length === 0 ? [] : [{ ...message, parts: kept }];
}

/** Cache markers move from request to request and are no part of what is said. */
function withoutMarks(message: Message): Message {
  return { ...message, parts: message.parts.map(unmarked) };
}

function unmarked(part: Part): Part {
  const { cache: _, ...rest } = part;
  if (rest.type !== 'tool_result') return rest;
  return { ...rest, content: rest.content.map(({ cache: _mark, ...inner }) => inner) };
}

function parse(bytes: Buffer, { start, end }: Span): Json {
  return JSON.parse(bytes.toString('utf8', start, end)) as Json;
}
