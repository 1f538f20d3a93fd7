import { LonghaulError } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject, sameJson } from '../json.ts';
import { codecs } from './codecs/index.ts';
import { headLength } from './head.ts';
import type { Conversation, Dialect } from './message.ts';
import type { ValidityRules } from './validity/rules.ts';

/** A conversation found in a JSON document, and the way back into one. */
export interface ConversationDocument {
  readonly dialect: Dialect;
  /** Whether the document was a bare list of items or a whole request body. */
  readonly shape: 'list' | 'request';
  readonly conversation: Conversation;
  /** Where the rest of the request changes what its provider demands, for `check` and `repair`. */
  readonly rules: Partial<ValidityRules>;
  /**
   * The document with another conversation in it: same dialect, same shape, every other member untouched. With another
   * `dialect`, a request body of that one with what the conversation holds.
   */
  write(input: { readonly conversation: Conversation; readonly dialect?: Dialect | undefined }): Json;
}

/**
 * Reads a list of items or a request body of any dialect; the dialect is detected from the content unless given.
 *
 * @example
 * const document = readConversation({ value: JSON.parse(text) });
 * const { messages } = repair(document.conversation.messages, document.dialect, document.rules);
 * const legal = document.write({ conversation: { ...document.conversation, messages } });
 */
export function readConversation(input: {
  readonly value: unknown;
  readonly dialect?: Dialect | undefined;
}): ConversationDocument {
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
    message: `This is no conversation: ${describe(value)}.`,
    hint: 'Give a list of messages, or a request body with "messages", "input" or "contents".',
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
  const { dialect } = input;
  const codec = codecs[dialect];
  const { head, messages, tools } = splitHead(input.conversation, dialect);
  const { members, items } = codec.writeHead(head);
  return {
    ...members,
    [codec.itemsKey]: [...items, ...codec.encode(messages)],
    ...(tools.length > 0 && codec.writeTools(tools)),
  };
}

function readList(value: readonly Json[], dialect: Dialect): ConversationDocument {
  const codec = codecs[dialect];
  return {
    dialect,
    shape: 'list',
    conversation: splitHead({ head: [], messages: codec.decode(value), tools: [] }, dialect),
    rules: {},
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
  const listed = { head: codec.readHead(body), messages: codec.decode(items), tools: codec.readTools(body) };
  // Only where the head lives in the list do leading system messages belong to it; elsewhere they keep their place.
  const conversation = dialect === 'openai-chat' ? splitHead(listed, dialect) : listed;
  return {
    dialect,
    shape: 'request',
    conversation,
    rules: rulesOfBody({ dialect, body }),
    write({ conversation: next, dialect: target = dialect }) {
      if (target !== dialect) return writeRequest({ dialect: target, conversation: next });
      const { members, items: leading } = codec.writeHead(next.head);
      const { members: before } = codec.writeHead(conversation.head);
      const written = [...leading, ...codec.encode(next.messages)];
      // A plain text as input stays one as long as it says the same.
      const isText = typeof value === 'string' && sameJson(written, codec.encode(conversation.messages));
      return {
        ...changed({ body, before, after: members }),
        [codec.itemsKey]: isText ? value : written,
        ...(next.tools !== conversation.tools && codec.writeTools(next.tools)),
      };
    },
  };
}

/** The body with the members of another head; members that say the same stay as they were written. */
function changed(input: {
  readonly body: JsonObject;
  readonly before: JsonObject;
  readonly after: JsonObject;
}): JsonObject {
  const { body, before, after } = input;
  if (sameJson(before, after)) return body;
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !(key in before)));
  return { ...rest, ...after };
}

/** Leading system messages are head, wherever the dialect kept them. */
function splitHead(conversation: Conversation, dialect: Dialect): Conversation {
  const { head, messages } = conversation;
  const cut = headLength(messages, dialect);
  if (cut === 0) return conversation;
  return { ...conversation, head: [...head, ...messages.slice(0, cut)], messages: messages.slice(cut) };
}

/** Anthropic and OpenAI's chat share the member `messages`; with plain texts either reading is right. */
function compatible(found: Dialect, wanted: Dialect | undefined): boolean {
  return wanted === undefined || codecs[found].itemsKey === codecs[wanted].itemsKey;
}

function wrongDialect(found: Dialect, wanted: Dialect | undefined): LonghaulError {
  return new LonghaulError({
    code: 'wrong-dialect',
    message: `This is a conversation in the ${found} dialect, not in ${wanted}.`,
    hint: `Read it as ${found}, or omit the dialect to have it detected.`,
  });
}

function describe(value: unknown): string {
  if (value === null) return 'it is null';
  if (isArray(value)) return 'no entry of the list is a message of a known dialect';
  if (isObject(value)) return 'the object has no list of messages of a known dialect';
  return `it is a ${typeof value}`;
}

/** What the rest of a request says about its list. */
function rulesOfBody({
  dialect,
  body,
}: {
  readonly dialect: Dialect;
  readonly body: JsonObject;
}): Partial<ValidityRules> {
  if (dialect === 'anthropic') {
    const thinking = isObject(body.thinking) ? body.thinking.type : undefined;
    return { thinkingFirst: thinking !== 'adaptive', opensWithThinking: thinking === 'enabled' };
  }
  // The server holds what came before, and with it the calls that these results answer.
  const isContinued = dialect === 'openai-responses' && Boolean(body.previous_response_id ?? body.conversation);
  return isContinued ? { continues: true } : {};
}

const responsesKinds = /^(message|reasoning|item_reference|compaction|.*_call(_output)?)$/;
const responsesParts = /^(input|output)_(text|image|file)$/;
const anthropicBlocks = /^(tool_use|tool_result|thinking|redacted_thinking|server_tool_use|document|image)$/;
const chatParts = /^(image_url|input_audio|file|refusal)$/;
/** Kinds of frameworks that look like a provider's at first sight. */
const foreignParts = /^(tool-call|tool-result|tool-invocation|step-start|dynamic-tool|reasoning)$/;

/**
 * Tells a dialect from the content of a list of items. Texts alone look the same to Anthropic and to OpenAI's chat;
 * then it is the latter, which most tools write. `undefined` when nothing in the list is an item of any dialect.
 */
function detectItems(items: readonly Json[]): Dialect | undefined {
  for (const item of items) {
    if (!isObject(item)) continue;
    if (isArray(item.parts) && !item.parts.some((part) => isObject(part) && part.type !== undefined)) return 'gemini';
    if (typeof item.type === 'string' && responsesKinds.test(item.type)) return 'openai-responses';
    if (partsOf(item).some((part) => typeof part.type === 'string' && responsesParts.test(part.type)))
      return 'openai-responses';
  }
  return detectMessages(items, {});
}

/** Tells a dialect from a request body; the members around the list say more than its items. */
function detectBody(body: JsonObject): Dialect | undefined {
  if (isArray(body.contents)) return 'gemini';
  if (typeof body.input === 'string' || isArray(body.input)) return 'openai-responses';
  if (!isArray(body.messages)) return undefined;
  return body.messages.length === 0 ? 'openai-chat' : detectMessages(body.messages, body);
}

/** Anthropic and OpenAI's chat share the name and the roles; what only one of them has decides, the surest first. */
function detectMessages(items: readonly Json[], body: JsonObject): Dialect | undefined {
  const messages = items.filter(
    (item) => isObject(item) && typeof item.role === 'string' && isContent(item),
  ) as JsonObject[];
  const parts = messages.flatMap(partsOf);
  const kinds = parts.map((part) => (typeof part.type === 'string' ? part.type : ''));
  if (messages.length === 0 || kinds.some((kind) => foreignParts.test(kind))) return undefined;
  const tools = isArray(body.tools) ? body.tools.filter(isObject) : [];
  const isChat =
    messages.some(({ role, tool_calls }) => role === 'tool' || role === 'developer' || tool_calls !== undefined) ||
    tools.some((tool) => isObject(tool.function)) ||
    kinds.some((kind) => chatParts.test(kind));
  const isAnthropic =
    body.system !== undefined ||
    body.anthropic_version !== undefined ||
    tools.some((tool) => isObject(tool.input_schema)) ||
    kinds.some((kind) => anthropicBlocks.test(kind));
  if (isChat !== isAnthropic) return isChat ? 'openai-chat' : 'anthropic';
  const isLikelyAnthropic = isObject(body.thinking) || parts.some((part) => part.cache_control !== undefined);
  return isAnthropic || isLikelyAnthropic ? 'anthropic' : 'openai-chat';
}

function isContent(item: JsonObject): boolean {
  return item.content !== undefined || item.tool_calls !== undefined;
}

function partsOf(item: JsonObject): JsonObject[] {
  return isArray(item.content) ? item.content.filter(isObject) : [];
}
