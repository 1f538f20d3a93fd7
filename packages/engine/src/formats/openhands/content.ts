import { isArray, isObject, type Json } from '../../json.ts';
import type { ContentPart, Origin, ToolCallPart } from '../../message/index.ts';
import { chatParts } from '../chat-parts.ts';

/** Texts and images as OpenHands writes them: like OpenAI's chat, but with several images in one block. */
export function contentParts({
  content,
  origin,
}: {
  readonly content: Json | undefined;
  readonly origin: Origin;
}): ContentPart[] {
  if (!isArray(content)) return chatParts({ content, origin });
  const blocks = content.flatMap((block) => {
    if (!isObject(block) || block.type !== 'image') return [block];
    return imageBlocks(block.image_urls);
  });
  return chatParts({ content: blocks, origin });
}

/** Images that stand beside a text. */
export function imageParts({ urls, origin }: { readonly urls: Json | undefined; readonly origin: Origin }) {
  return chatParts({ content: imageBlocks(urls), origin });
}

function imageBlocks(urls: Json | undefined): Json[] {
  const list = isArray(urls) ? urls : [];
  return list.flatMap((url) =>
    typeof url === 'string' && url !== '' ? [{ type: 'image_url', image_url: { url } }] : [],
  );
}

/** A call of the model. Its arguments are kept as the model wrote them where they were recorded so. */
export function callPart({
  id,
  name,
  input,
}: {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}): ToolCallPart {
  const written = typeof input === 'string' ? input : JSON.stringify(input);
  return { type: 'tool_call', origin: 'model', id, name, arguments: written };
}

/** The text of a member that should be one; empty where it is none. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** An id, which older versions count and newer ones make up. */
export function idOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
