import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { Dialect } from './message.ts';

const responsesKinds = /^(message|reasoning|item_reference|compaction|(function|custom_tool|.*)_call(_output)?)$/;
const responsesParts = /^(input|output)_(text|image|file)$/;
const anthropicBlocks = /^(tool_use|tool_result|thinking|redacted_thinking|server_tool_use|document|image)$/;

/**
 * Tells a dialect from the content of a list of items. Texts alone look the same to Anthropic and to OpenAI's chat;
 * then it is the latter, which most tools write. `undefined` when nothing in the list is an item of any dialect.
 */
export function detectItems(items: readonly Json[]): Dialect | undefined {
  let plain = false;
  for (const item of items) {
    const found = isObject(item) ? detectItem(item) : undefined;
    if (found === 'plain') plain = true;
    else if (found) return found;
  }
  return plain ? 'openai-chat' : undefined;
}

/** Tells a dialect from a request body; the members around the list say more than its items. */
export function detectBody(body: JsonObject): Dialect | undefined {
  if (isArray(body.contents)) return 'gemini';
  if (typeof body.input === 'string' || isArray(body.input)) return 'openai-responses';
  if (!isArray(body.messages)) return undefined;
  if (body.system !== undefined || body.anthropic_version !== undefined) return 'anthropic';
  if (isArray(body.tools) && body.tools.some((tool) => isObject(tool) && isObject(tool.input_schema)))
    return 'anthropic';
  return body.messages.length === 0 ? 'openai-chat' : detectItems(body.messages);
}

function detectItem(item: JsonObject): Dialect | 'plain' | undefined {
  if (isArray(item.parts)) return 'gemini';
  if (typeof item.type === 'string' && responsesKinds.test(item.type)) return 'openai-responses';
  if (typeof item.role !== 'string') return undefined;
  if (item.role === 'tool' || item.role === 'developer' || item.tool_calls !== undefined) return 'openai-chat';
  for (const part of isArray(item.content) ? item.content : []) {
    if (!isObject(part) || typeof part.type !== 'string') continue;
    if (responsesParts.test(part.type)) return 'openai-responses';
    if (anthropicBlocks.test(part.type) || part.cache_control !== undefined) return 'anthropic';
    if (part.type === 'image_url' || part.type === 'input_audio' || part.type === 'file') return 'openai-chat';
  }
  return item.content === undefined ? undefined : 'plain';
}
