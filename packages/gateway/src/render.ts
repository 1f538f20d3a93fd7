import { repairMessages } from 'longhaul/engine';
import {
  codecs,
  type Dialect,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type TextPart,
} from 'longhaul/message';
import { type ContextItem, type EntryId, headLength } from 'longhaul/session';
import type { Span } from './body-spans.ts';
import type { ClientRequest } from './client-request.ts';
import type { ClientConversation } from './conversation/conversation.ts';
import { recallName } from './recall/filter.ts';

const [opening, comma, closing] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/**
 * The body to send for a request: the items that the log says, in the client's own bytes wherever they are unchanged,
 * and every other member as received. `undefined` where that is the body as it came.
 *
 * @example
 * const body = renderBody({ request, conversation, entries, dropsThinking: false, namesRecall: true }) ?? request.bytes;
 */
export function renderBody({
  request,
  conversation,
  entries,
  dropsThinking,
  namesRecall,
}: {
  readonly request: ClientRequest;
  readonly conversation: ClientConversation;
  /** The entry of each item of the request; `null` for items that have none of their own. */
  readonly entries: readonly (EntryId | null)[];
  /** Thinking from before the newest compaction is refused by the model, since other bytes precede it now. */
  readonly dropsThinking: boolean;
  /** Whether the model can look up what was cut: otherwise it reads no word of it. */
  readonly namesRecall: boolean;
}): Buffer | undefined {
  if (conversation.isUntouched) return undefined;
  const { context } = conversation;
  const { dialect, bytes } = request;
  const said = context.items.slice(headLength(context));
  const byMessage = new Map(said.map((item) => [item.message, item]));
  // Items that are not in the log, of a request that only asks about a conversation.
  const added = request.messagesFrom(entries.length);
  const addedSpans = new Map(added.map((message, at) => [message, request.items[entries.length + at]]));
  const groups = groupItems({ request, entries });
  const written: Uint8Array[] = request.headItems.map(({ start, end }) => bytes.subarray(start, end));
  let made: Message[] = [];
  const flush = () => {
    const messages = namesRecall ? made : made.map(withoutRecall);
    written.push(...codecs[dialect].encode(messages).map((item) => Buffer.from(JSON.stringify(item))));
    made = [];
  };
  const messages = [...said.map((item) => item.message), ...added];
  for (const message of repairMessages({ messages, dialect }).messages) {
    const own = addedSpans.get(message);
    if (own) {
      flush();
      written.push(itemBytes({ request, span: own, dropsThinking: false }) ?? Buffer.alloc(0));
      continue;
    }
    const item = byMessage.get(message);
    const entry = verbatimEntry({ item, conversation });
    if (entry === undefined) {
      const isBefore = item?.entry != null && conversation.lastShrink !== null && item.entry < conversation.lastShrink;
      made.push(dropsThinking && isBefore ? withoutThinking(message) : message);
      continue;
    }
    // Results that the client never sees are sent in one item with those of the client.
    if (message.role === 'tool' && made.at(-1)?.role === 'tool' && joinsResults(dialect)) {
      made.push(message);
      continue;
    }
    const spans = groups.get(entry);
    if (!spans && request.previous !== undefined) {
      // The client left it to the server, which does not have what is sent now.
      made.push(message);
      continue;
    }
    // What the client left out of its history, such as reasoning after a restart, is not put back.
    const isOld = conversation.lastShrink !== null && entry < conversation.lastShrink;
    flush();
    for (const span of spans ?? []) {
      const item = detachedItem({ request, span, before: written.at(-1) });
      const kept = item ?? itemBytes({ request, span, dropsThinking: dropsThinking && isOld });
      if (kept) written.push(kept);
    }
  }
  flush();
  const { prefill } = request;
  if (prefill) written.push(bytes.subarray(prefill.start, prefill.end));
  const list = request.spans.members.get(codecs[dialect].itemsKey);
  if (!list) return undefined;
  const sent = dialect === 'openai-responses' && request.member('store') !== false ? withoutLoneIds(written) : written;
  const separated = sent.flatMap((item, at) => (at === 0 ? [item] : [comma, item]));
  const body = Buffer.concat([bytes.subarray(0, list.start), opening, ...separated, closing, bytes.subarray(list.end)]);
  return request.previous === undefined ? body : withoutPrevious({ body, request });
}

/** The whole context is sent, so the server must not put what it has in front; a thread begins anew with its system text and tools. */
function withoutPrevious({ body, request }: { readonly body: Buffer; readonly request: ClientRequest }): Buffer {
  const { previous_response_id: _, ...rest } = JSON.parse(body.toString('utf8')) as JsonObject;
  const codec = codecs[request.dialect];
  // The tool of the gateway is added after the others, here as elsewhere.
  const tools = request.tools.filter(({ name }) => name !== recallName);
  const thread = request.isThread && {
    ...codec.writeHead(request.head).members,
    ...(tools.length > 0 && codec.writeTools(tools)),
    thread: { type: 'create' },
  };
  return Buffer.from(JSON.stringify({ ...rest, ...thread }));
}

/** The items of each entry: its own, and those after it that have none, such as repeated results. */
function groupItems({
  request,
  entries,
}: {
  readonly request: ClientRequest;
  readonly entries: readonly (EntryId | null)[];
}): ReadonlyMap<EntryId, readonly Span[]> {
  const groups = new Map<EntryId, Span[]>();
  let group: Span[] = [];
  for (const [at, entry] of entries.entries()) {
    const span = request.items[at];
    if (!span) break;
    if (entry !== null && !groups.has(entry)) {
      // Items in front of the first entry belong to it.
      group = groups.size === 0 ? group : [];
      groups.set(entry, group);
    }
    group.push(span);
  }
  return groups;
}

function verbatimEntry({
  item,
  conversation,
}: {
  readonly item: ContextItem | undefined;
  readonly conversation: ClientConversation;
}): EntryId | undefined {
  if (!item || item.isMade || item.entry === null) return undefined;
  return conversation.isVerbatim(item.entry) ? item.entry : undefined;
}

/**
 * The item that a reference names, without its id: the server accepts a reference only after the reasoning that it was answered
 * with. `undefined` where the reasoning is sent, and for all other items.
 */
function detachedItem({
  request,
  span,
  before,
}: {
  readonly request: ClientRequest;
  readonly span: Span;
  /** The item in front of it. */
  readonly before: Uint8Array | undefined;
}): Uint8Array | undefined {
  if (request.dialect !== 'openai-responses') return undefined;
  const raw = request.bytes.subarray(span.start, span.end);
  if (!raw.subarray(0, 200).includes('item_reference')) return undefined;
  const item = request.item(span) as JsonObject;
  if (item.type === 'item_reference' || item.type === 'reasoning') return undefined;
  const text = Buffer.from(before ?? []).toString('utf8', 0, 200);
  if (/"type"\s*:\s*"(?:reasoning|item_reference)"/.test(text)) return undefined;
  const { id: _, ...rest } = item;
  return Buffer.from(JSON.stringify(rest));
}

/** The server knows the ids of stored items, and rejects one without the reasoning that it was answered with. */
function withoutLoneIds(items: readonly Uint8Array[]): readonly Uint8Array[] {
  let hasReasoning = false;
  return items.map((bytes) => {
    const item = JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject;
    const { id, ...rest } = item;
    const isReasoning = item.type === 'reasoning' || (item.type === 'item_reference' && /^rs_/.test(String(id)));
    const isAnswer = item.role === 'assistant' || item.type === 'function_call' || item.type === 'item_reference';
    hasReasoning = isReasoning || (hasReasoning && isAnswer);
    const isLone = isAnswer && !hasReasoning && id !== undefined && item.type !== 'item_reference';
    return isLone ? Buffer.from(JSON.stringify(rest)) : bytes;
  });
}

/** An item as it came; `undefined` where nothing is left of it without its thinking. */
function itemBytes({
  request,
  span,
  dropsThinking,
}: {
  readonly request: ClientRequest;
  readonly span: Span;
  readonly dropsThinking: boolean;
}): Uint8Array | undefined {
  const raw = request.bytes.subarray(span.start, span.end);
  // A plain text in place of a list is one item.
  if (raw[0] === 0x22) return Buffer.from(JSON.stringify(request.item(span)));
  if (!dropsThinking) return raw;
  const item = request.item(span) as JsonObject;
  const { content } = item;
  if (!Array.isArray(content)) return raw;
  const kept = (content as readonly Json[]).filter((block) => !isThinking(block));
  if (kept.length === content.length) return raw;
  return kept.length === 0 ? undefined : Buffer.from(JSON.stringify({ ...item, content: kept }));
}

/** How texts of the engine name recall, and what is left of them without it. */
const recallHints: readonly (readonly [RegExp, string])[] = [
  [/; recall @[\d.]+ for all of it/g, ''],
  [/^\[recall @[\d.]+\]$/, '[left out]'],
  [/ Use recall @[\d.]+(?::1-80 for lines of it| with page 1, 2, … for its text), or search for words in it\./g, ''],
  [/; recall a handle to read all of it/g, ''],
  [
    /Everything that this summary covers is kept, word for word, from @\d+ to @\d+: recall it by handle \(@\d+, or lines as in @\d+:1-40\), or search it by words\./g,
    '',
  ],
];

function withoutRecall(message: Message): Message {
  return { ...message, parts: message.parts.map(withoutHints) };
}

function withoutHints(part: Part): Part {
  if (part.type === 'text') return shortenedText(part);
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((inner) => (inner.type === 'text' ? shortenedText(inner) : inner));
  if (content.every((inner, at) => inner === part.content[at])) return part;
  const { wire: _, ...rest } = part;
  return { ...rest, content };
}

/** A part whose text is changed loses its `wire`, which has the text as well. */
function shortenedText(part: TextPart): TextPart {
  const text = recallHints.reduce((cut, [pattern, left]) => cut.replace(pattern, left), part.text);
  if (text === part.text) return part;
  const { wire: _, ...rest } = part;
  return { ...rest, text };
}

/** Dialects in which all results of one answer are one item. */
function joinsResults(dialect: Dialect): boolean {
  return dialect === 'anthropic' || dialect === 'gemini';
}

function withoutThinking(message: Message): Message {
  const parts = message.parts.filter(({ type }) => type !== 'thinking');
  return parts.length === message.parts.length || parts.length === 0 ? message : { ...message, parts };
}

function isThinking(block: Json): boolean {
  if (typeof block !== 'object' || block === null || !('type' in block)) return false;
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
