import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { Dialect } from './message.ts';

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
export function detectItems(items: readonly Json[]): Dialect | undefined {
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
export function detectBody(body: JsonObject): Dialect | undefined {
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
