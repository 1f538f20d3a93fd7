import type { CacheMark, ContentPart, MediaSource, Message, Origin, Part } from '../../message/index.ts';
import * as Raw from '../output/raw.ts';
import { carriedPart } from './carried-part.ts';

/**
 * Converts rendered messages to neutral ones. A breakpoint becomes the cache mark of the part before it. A user message
 * has origin `human` unless it has a name: then it was generated and has no authority.
 *
 * @example
 * const { messages } = await render({ element, budget: 8000, tokenizer });
 * const items = toMessages(messages);
 */
export function toMessages(messages: readonly Raw.ChatMessage[]): Message[] {
  return messages.map(toMessage);
}

/** Converts one message. */
export function toMessage(message: Raw.ChatMessage): Message {
  const { content } = message;
  switch (message.role) {
    case Raw.ChatRole.System:
      return { role: 'system', parts: partsOf(content, 'engine') };
    case Raw.ChatRole.User:
      return { role: 'user', parts: partsOf(content, message.name ? 'engine' : 'human') };
    case Raw.ChatRole.Assistant: {
      const calls = (message.toolCalls ?? []).map(
        ({ id, function: { name, arguments: given } }): Part => ({
          type: 'tool_call',
          origin: 'model',
          id,
          name,
          arguments: given,
        }),
      );
      return { role: 'assistant', parts: [...partsOf(content, 'model'), ...calls] };
    }
    default:
      return { role: 'tool', parts: [resultOf(message as Raw.ToolChatMessage)] };
  }
}

/** A mark inside a result is moved to the result: providers allow none further inside (editor.md 5.3). */
function resultOf({ content, toolCallId = '' }: Raw.ToolChatMessage): Part {
  const parts = partsOf(content, 'tool');
  const cache = parts.find((part) => part.cache)?.cache;
  const inner = parts.map(({ cache: _, ...part }) => part).filter(isContent);
  return { type: 'tool_result', origin: 'tool', callId: toolCallId, content: inner, ...(cache && { cache }) };
}

function isContent(part: Part): part is ContentPart {
  return part.type === 'text' || part.type === 'image' || part.type === 'document' || part.type === 'opaque';
}

function partsOf(content: readonly Raw.ChatCompletionContentPart[], origin: Origin): Part[] {
  const parts: Part[] = [];
  for (const part of content) {
    if (part.type !== Raw.ChatCompletionContentPartKind.CacheBreakpoint) {
      const made = partOf(part, origin);
      if (made) parts.push(made);
      continue;
    }
    const last = parts.at(-1);
    // Thinking takes no cache mark (editor.md 5.3).
    if (last && last.type !== 'thinking') parts[parts.length - 1] = { ...last, cache: markOf(part) };
  }
  return parts;
}

/** `ephemeral` is the provider's default; other values are a lifetime. */
function markOf({ cacheType }: Raw.ChatCompletionContentPartCacheBreakpoint): CacheMark {
  return cacheType === undefined || cacheType === 'ephemeral' ? {} : { ttl: cacheType };
}

function partOf(part: Raw.ChatCompletionContentPart, origin: Origin): Part | undefined {
  switch (part.type) {
    case Raw.ChatCompletionContentPartKind.Text:
      return part.text === '' ? undefined : { type: 'text', origin, text: part.text };
    case Raw.ChatCompletionContentPartKind.Image: {
      const { detail } = part.imageUrl;
      return { type: 'image', origin, source: sourceOf(part.imageUrl), ...(detail && { detail }) };
    }
    case Raw.ChatCompletionContentPartKind.Document: {
      const { data, mediaType } = part.documentData;
      return { type: 'document', origin, source: { kind: 'base64', mediaType, data } };
    }
    case Raw.ChatCompletionContentPartKind.Opaque:
      return carriedPart(part);
    default:
      return undefined;
  }
}

function sourceOf({ url, mediaType }: Raw.ImageURLReference): MediaSource {
  const [, type = '', data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (data !== undefined) return { kind: 'base64', mediaType: type, data };
  return { kind: 'url', url, ...(mediaType && { mediaType }) };
}
