import type * as OpenAI from './openai.ts';
import * as Raw from './raw.ts';

const openAIMode = 2;

/**
 * A message in OpenAI's format. Content that the API does not support is omitted: documents, breakpoints, images in
 * system messages.
 */
export function toOpenAIMessage(message: Raw.ChatMessage): OpenAI.ChatMessage | undefined {
  switch (message.role) {
    case Raw.ChatRole.System:
      return { role: 'system', content: textOf(message.content), name: message.name };
    case Raw.ChatRole.User:
      return { role: 'user', content: partsOf(message.content), name: message.name };
    case Raw.ChatRole.Assistant:
      return {
        role: 'assistant',
        content: textOf(message.content),
        name: message.name,
        tool_calls: message.toolCalls?.map(({ id, function: called }) => ({ id, function: called, type: 'function' })),
      };
    case Raw.ChatRole.Tool:
      return { role: 'tool', content: partsOf(message.content), tool_call_id: message.toolCallId };
    default:
      return undefined;
  }
}

/** The text of a message. */
export function textOf(content: readonly Raw.ChatCompletionContentPart[]): string {
  let text = '';
  for (const part of content) if (part.type === Raw.ChatCompletionContentPartKind.Text) text += part.text;
  return text;
}

function partsOf(content: readonly Raw.ChatCompletionContentPart[]): string | OpenAI.ChatCompletionContentPart[] {
  const parts: OpenAI.ChatCompletionContentPart[] = [];
  for (const part of content) {
    const converted = partOf(part);
    if (converted) parts.push(converted);
  }
  return parts.every((part) => part.type === 'text') ? parts.map((part) => part.text).join('') : parts;
}

function partOf(part: Raw.ChatCompletionContentPart): OpenAI.ChatCompletionContentPart | undefined {
  switch (part.type) {
    case Raw.ChatCompletionContentPartKind.Text:
      return { type: 'text', text: part.text };
    case Raw.ChatCompletionContentPartKind.Image:
      return { image_url: part.imageUrl, type: 'image_url' };
    case Raw.ChatCompletionContentPartKind.Opaque:
      // The author of the value is responsible for its shape.
      return Raw.ChatCompletionContentPartOpaque.usableIn(part, openAIMode)
        ? (part.value as OpenAI.ChatCompletionContentPart)
        : undefined;
    default:
      return undefined;
  }
}
