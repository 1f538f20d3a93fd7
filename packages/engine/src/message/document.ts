import { LonghaulError } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import { codecs } from './codecs/index.ts';
import { detectBody, detectItems } from './detect.ts';
import { headLength } from './head.ts';
import type { Conversation, Dialect } from './message.ts';

/** A conversation found in a JSON document, and the way back into one. */
export interface ConversationDocument {
  readonly dialect: Dialect;
  /** Whether the document was a bare list of items or a whole request body. */
  readonly shape: 'list' | 'request';
  readonly conversation: Conversation;
  /**
   * The document with another conversation in it: same dialect, same shape, every other member untouched. With another
   * `dialect`, a request body of that one with what the conversation holds.
   */
  write(input: { readonly conversation: Conversation; readonly dialect?: Dialect }): Json;
}

/**
 * Reads a list of items or a request body of any dialect; the dialect is told from the content unless it is given.
 *
 * @example
 * const document = readConversation({ value: JSON.parse(text) });
 * const { messages } = repair(document.conversation.messages, document.dialect);
 * const legal = document.write({ conversation: { ...document.conversation, messages } });
 */
export function readConversation(input: { readonly value: unknown; readonly dialect?: Dialect }): ConversationDocument {
  const { value } = input;
  if (isArray(value)) {
    const dialect = input.dialect ?? detectItems(value) ?? (value.length === 0 ? 'openai-chat' : undefined);
    if (dialect) return readList(value, dialect);
  } else if (isObject(value)) {
    const dialect = detectBody(value);
    if (dialect && compatible(dialect, input.dialect)) return readBody(value, input.dialect ?? dialect);
    if (dialect) throw wrongDialect(dialect, input.dialect);
  }
  throw new LonghaulError({
    code: 'not-a-conversation',
    cause: `This is no conversation: ${describe(value)}.`,
    next: 'Give a list of messages, or a request body with "messages", "input" or "contents".',
  });
}

/**
 * A conversation as the request body of a dialect: head, items and tools under that dialect's names. Model, limits and
 * the like are the caller's.
 *
 * @example
 * const body = { model: 'gpt-5', ...writeRequest({ dialect: 'openai-responses', conversation }) };
 */
export function writeRequest(input: { readonly dialect: Dialect; readonly conversation: Conversation }): JsonObject {
  const codec = codecs[input.dialect];
  const { head, messages } = splitHead(input.conversation);
  const { members, items } = codec.writeHead(head);
  const tools = input.conversation.tools;
  return {
    ...members,
    [codec.itemsKey]: [...items, ...codec.encode(messages)],
    ...(tools.length > 0 && codec.writeTools(tools)),
  };
}

function readList(value: readonly Json[], dialect: Dialect): ConversationDocument {
  const codec = codecs[dialect];
  const conversation = splitHead({ head: [], messages: codec.decode(value), tools: [] });
  return {
    dialect,
    shape: 'list',
    conversation,
    write: ({ conversation: next, dialect: target = dialect }) =>
      target === dialect
        ? codec.encode([...next.head, ...next.messages])
        : writeRequest({ dialect: target, conversation: next }),
  };
}

function readBody(body: JsonObject, dialect: Dialect): ConversationDocument {
  const codec = codecs[dialect];
  const value = body[codec.itemsKey];
  const items = isArray(value) ? value : [{ role: 'user', content: value ?? '' }];
  const listed = splitHead({ head: [], messages: codec.decode(items), tools: [] });
  // Only where the head lives in the list do leading system messages belong to it; elsewhere they keep their place.
  const inList = dialect === 'openai-chat';
  const conversation: Conversation = {
    head: inList ? listed.head : codec.readHead(body),
    messages: inList ? listed.messages : [...listed.head, ...listed.messages],
    tools: codec.readTools(body),
  };
  const original = JSON.stringify(codec.encode(conversation.messages));
  return {
    dialect,
    shape: 'request',
    conversation,
    write({ conversation: next, dialect: target = dialect }) {
      if (target !== dialect) return writeRequest({ dialect: target, conversation: next });
      const { members, items: leading } = codec.writeHead(next.head);
      const encoded = codec.encode(next.messages);
      const isUntouchedText = typeof value === 'string' && JSON.stringify(encoded) === original;
      const headless = next.head.length === 0 ? {} : members;
      return { ...body, ...headless, [codec.itemsKey]: isUntouchedText ? value : [...leading, ...encoded] };
    },
  };
}

/** Leading system messages are head, wherever the dialect kept them. */
function splitHead(conversation: Conversation): Conversation {
  const { messages } = conversation;
  const cut = headLength(messages);
  if (cut === 0) return conversation;
  return { ...conversation, head: [...conversation.head, ...messages.slice(0, cut)], messages: messages.slice(cut) };
}

/** Anthropic and OpenAI's chat share the member `messages`; with plain texts either reading is right. */
function compatible(found: Dialect, wanted: Dialect | undefined): boolean {
  return wanted === undefined || codecs[found].itemsKey === codecs[wanted].itemsKey;
}

function wrongDialect(found: Dialect, wanted: Dialect | undefined): LonghaulError {
  return new LonghaulError({
    code: 'wrong-dialect',
    cause: `This is a conversation in the ${found} dialect, not in ${wanted}.`,
    next: `Read it as ${found}, or leave the dialect out to have it told from the content.`,
  });
}

function describe(value: unknown): string {
  if (value === null) return 'it is null';
  if (isArray(value)) return `none of its ${value.length} entries is a message of a known dialect`;
  if (isObject(value)) return 'the object has no list of messages';
  return `it is a ${typeof value}`;
}
