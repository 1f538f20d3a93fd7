import { isArray, isObject, type Json, type JsonObject, parseJson, sameJson, without } from '../../json.ts';
import { type ContentPart, codecs, type Part, type TextPart, type ThinkingPart } from '../../message/index.ts';
import { userText } from '../content-parts.ts';

/** Parts, and for each block what pi says beyond them (`null` where it says nothing). */
export interface ReadContent<P extends Part> {
  readonly parts: readonly P[];
  readonly extra: readonly (JsonObject | null)[];
  /** Whether there were blocks of a kind that is not known here. */
  readonly strange: boolean;
}

/** Blocks of text and images: what a person, a tool or an extension says. */
export function readBlocks({
  content,
  origin,
}: {
  readonly content: Json | undefined;
  readonly origin: 'human' | 'tool' | 'engine';
}): ReadContent<ContentPart> {
  const textPart = (text: string): TextPart => (origin === 'human' ? userText(text) : { type: 'text', origin, text });
  if (typeof content === 'string') return { parts: [textPart(content)], extra: [], strange: false };
  // pi itself reads missing content as none (sessions with errors have `null` there).
  const blocks = isArray(content) ? content : [];
  return collect(blocks, (block): ContentPart | undefined => {
    if (block.type === 'text' && typeof block.text === 'string') return textPart(block.text);
    if (block.type !== 'image' || typeof block.data !== 'string' || typeof block.mimeType !== 'string')
      return undefined;
    return { type: 'image', origin, source: { kind: 'base64', mediaType: block.mimeType, data: block.data } };
  });
}

/** Blocks of an answer. `api` tells whose signatures they carry. */
export function readAnswer({
  content,
  api,
}: {
  readonly content: Json | undefined;
  readonly api: string;
}): ReadContent<Part> {
  const blocks = isArray(content) ? content : typeof content === 'string' ? [{ type: 'text', text: content }] : [];
  return collect(blocks, (block): Part | undefined => {
    switch (block.type) {
      case 'text': {
        if (typeof block.text !== 'string') return undefined;
        const signature = isGemini(api) ? block.textSignature : undefined;
        return { type: 'text', origin: 'model', text: block.text, ...(typeof signature === 'string' && { signature }) };
      }
      case 'thinking':
        return typeof block.thinking === 'string' ? thinking(block, block.thinking, api) : undefined;
      case 'toolCall': {
        const { id, name, arguments: input, thoughtSignature: signature } = block;
        if (typeof id !== 'string' || typeof name !== 'string') return undefined;
        const call = { type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(input ?? {}) } as const;
        return { ...call, ...(typeof signature === 'string' && { signature }) };
      }
      default:
        return undefined;
    }
  });
}

/** Parts as pi's blocks, with what pi said beyond them put back. What pi has no block for is left out. */
export function writeBlocks({
  parts,
  extra = [],
}: {
  readonly parts: readonly Part[];
  readonly extra?: readonly (JsonObject | null)[];
}): JsonObject[] {
  return parts.flatMap((part, index) => {
    const block = blockOf(part);
    return block ? [{ ...block, ...extra[index] }] : [];
  });
}

function blockOf(part: Part): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...(part.signature !== undefined && { textSignature: part.signature }) };
    case 'image':
      if (part.source.kind !== 'base64') return undefined;
      return { type: 'image', data: part.source.data, mimeType: part.source.mediaType };
    case 'thinking':
      return writeThinking(part);
    case 'tool_call': {
      const { id, name, arguments: text, signature } = part;
      const input = parseJson(text);
      const call = { type: 'toolCall', id, name, arguments: isObject(input) ? input : { input: text } };
      return { ...call, ...(signature !== undefined && { thoughtSignature: signature }) };
    }
    default:
      return undefined;
  }
}

function writeThinking(part: ThinkingPart): JsonObject {
  const block = { type: 'thinking', thinking: part.text };
  if (part.wire?.dialect === 'openai-responses') {
    const [item] = codecs['openai-responses'].encode([{ role: 'assistant', parts: [part] }]);
    return { ...block, thinkingSignature: JSON.stringify(item) };
  }
  if (part.encrypted !== undefined) return { ...block, thinkingSignature: part.encrypted, redacted: true };
  const signature = part.signature ?? (part.wire?.dialect === 'openai-chat' ? part.wire.form : undefined);
  return signature === undefined ? block : { ...block, thinkingSignature: signature };
}

/** pi keeps in `thinkingSignature` whatever the provider needs back; what that is depends on the API. */
function thinking(block: JsonObject, text: string, api: string): ThinkingPart {
  const bare = { type: 'thinking', origin: 'model', text } as const;
  const signature = block.thinkingSignature;
  if (typeof signature !== 'string' || signature === '') return bare;
  if (api.includes('responses')) {
    const [part] = codecs['openai-responses'].decode([parseJson(signature) ?? null])[0]?.parts ?? [];
    return part?.type === 'thinking' ? part : bare;
  }
  if (isGemini(api)) return { ...bare, signature, wire: { dialect: 'gemini' } };
  if (api.includes('completions')) return { ...bare, wire: { dialect: 'openai-chat', form: signature } };
  if (!api.includes('anthropic') && !api.includes('bedrock')) return bare;
  if (block.redacted === true) return { ...bare, encrypted: signature, wire: { dialect: 'anthropic' } };
  return { ...bare, signature, wire: { dialect: 'anthropic' } };
}

function isGemini(api: string): boolean {
  return api.includes('google');
}

function collect<P extends Part>(blocks: readonly Json[], read: (block: JsonObject) => P | undefined): ReadContent<P> {
  const parts: P[] = [];
  const extra: (JsonObject | null)[] = [];
  for (const block of blocks) {
    const part = isObject(block) ? read(block) : undefined;
    if (!part || !isObject(block)) continue;
    parts.push(part);
    extra.push(beyond(block, blockOf(part) ?? {}));
  }
  const strange = parts.length < blocks.length;
  return { parts, extra: extra.some((rest) => rest !== null) ? extra : [], strange };
}

/** The members of a block that writing it again would not give. */
function beyond(block: JsonObject, written: JsonObject): JsonObject | null {
  const same = Object.keys(block).filter((key) => sameJson(block[key], written[key]));
  return without(block, same) ?? null;
}
