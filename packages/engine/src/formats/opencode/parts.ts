import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { type ContentPart, codecs, type MediaSource, type Part, type ToolResultPart } from '../../message/index.ts';
import { isRedacted } from '../sanitize-text.ts';

/** What opencode sends in place of an output that it has pruned. */
export const prunedNotice = '[Old tool result content cleared]';

/** What a person wrote, unless a client wrapped its own text in it. */
export function typed(text: string): ContentPart {
  const [part] = codecs.anthropic.decode([{ role: 'user', content: text }])[0]?.parts ?? [];
  return { type: 'text', origin: part?.origin ?? 'human', text };
}

/**
 * A file that the model gets as a file. Texts and folders are not: opencode reads them into texts of the same message.
 */
export function fileOf({
  part,
  origin,
}: {
  readonly part: JsonObject;
  readonly origin: 'human' | 'tool';
}): ContentPart | undefined {
  const { mime, url, filename } = part;
  if (typeof mime !== 'string' || typeof url !== 'string') return undefined;
  if (mime === 'application/x-directory' || (origin === 'human' && mime === 'text/plain')) return undefined;
  const source = sourceOf({ url, mediaType: mime });
  if (!source) return undefined;
  if (mime.startsWith('image/')) return { type: 'image', origin, source };
  return { type: 'document', origin, source, ...(typeof filename === 'string' && { name: filename }) };
}

/** A URL that means something to a provider: the file itself, or a place in the net. */
function sourceOf({ url, mediaType }: { readonly url: string; readonly mediaType: string }): MediaSource | undefined {
  const data = /^data:[^,]*;base64,/.exec(url)?.[0];
  if (data !== undefined) return { kind: 'base64', mediaType, data: url.slice(data.length) };
  return /^https?:/.test(url) ? { kind: 'url', url, mediaType } : undefined;
}

/** What the model said in one step: its parts in order, with what proves to its provider that they are the model's. */
export function readStep(parts: readonly JsonObject[]): Part[] {
  const items = itemsOf(parts);
  return parts.flatMap((part): Part[] => {
    switch (part.type) {
      case 'text':
        if (typeof part.text !== 'string' || part.text === '') return [];
        return [{ type: 'text', origin: 'model', text: part.text, ...signed(part) }];
      case 'tool': {
        const { callID: id, tool: name, state } = part;
        if (typeof id !== 'string' || typeof name !== 'string') return [];
        const text = JSON.stringify((isObject(state) ? state.input : undefined) ?? {});
        return [{ type: 'tool_call', origin: 'model', id, name, arguments: text, ...signed(part) }];
      }
      case 'reasoning': {
        const item = items.get(itemId(part) ?? '');
        if (!item) return reasoning(part);
        return item.parts[0] === part ? responsesItem(item) : [];
      }
      default:
        return [];
    }
  });
}

/** The providers keep in `metadata` what they need back, each in its own way. */
function reasoning(part: JsonObject): Part[] {
  const text = typeof part.text === 'string' ? part.text : '';
  const bare = { type: 'thinking', origin: 'model', text } as const;
  const { signature, redactedData } = { ...metadata(part, 'bedrock'), ...metadata(part, 'anthropic') };
  const proof = intact(signature);
  if (proof !== undefined) return [{ ...bare, signature: proof, wire: { dialect: 'anthropic' } }];
  const cipher = intact(redactedData);
  if (cipher !== undefined) return [{ ...bare, encrypted: cipher, wire: { dialect: 'anthropic' } }];
  const { signature: thought } = signed(part);
  if (thought !== undefined) return [{ ...bare, signature: thought, wire: { dialect: 'gemini' } }];
  return text.trim() === '' ? [] : [bare];
}

/** An item of OpenAI's reasoning: opencode keeps its summary in as many parts as it has paragraphs. */
interface ReasoningItem {
  readonly id: string;
  readonly cipher: string;
  readonly parts: readonly JsonObject[];
}

/** The items that can be sent back, by id. */
function itemsOf(parts: readonly JsonObject[]): Map<string, ReasoningItem> {
  const groups = Map.groupBy(parts, (part) => (part.type === 'reasoning' ? itemId(part) : undefined));
  const items = new Map<string, ReasoningItem>();
  for (const [id, group] of groups) {
    const cipher = group.map((part) => intact(metadata(part, 'openai').reasoningEncryptedContent)).findLast(Boolean);
    if (id !== undefined && cipher !== undefined) items.set(id, { id, cipher, parts: group });
  }
  return items;
}

/** Other services that speak OpenAI's dialect have ids of their own, which OpenAI does not know. */
function itemId(part: JsonObject): string | undefined {
  const id = intact(metadata(part, 'openai').itemId);
  return id?.startsWith('rs_') ? id : undefined;
}

function responsesItem({ id, cipher, parts }: ReasoningItem): Part[] {
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [text] : []));
  const summary = texts.map((text) => ({ type: 'summary_text', text }));
  const [message] = codecs['openai-responses'].decode([{ type: 'reasoning', id, summary, encrypted_content: cipher }]);
  return [...(message?.parts ?? [])];
}

/** What a tool returned; `undefined` while it runs. */
export function readResult(part: JsonObject): ToolResultPart | undefined {
  const { state, callID: callId, tool: name } = part;
  if (!isObject(state) || typeof callId !== 'string' || typeof name !== 'string') return undefined;
  const base = { type: 'tool_result', origin: 'tool', callId, name } as const;
  if (state.status === 'completed') {
    const files = (isArray(state.attachments) ? state.attachments : []).flatMap((file) =>
      isObject(file) ? (fileOf({ part: file, origin: 'tool' }) ?? []) : [],
    );
    const { exit } = isObject(state.metadata) ? state.metadata : {};
    const ended = typeof exit === 'number' && Number.isInteger(exit) ? { exit } : {};
    return { ...base, content: [toolText(state.output), ...files], ...ended };
  }
  if (state.status !== 'error') return undefined;
  // Where a person stopped the tool, the model gets what it had written until then.
  const { interrupted, output } = isObject(state.metadata) ? state.metadata : {};
  if (interrupted === true && typeof output === 'string') return { ...base, content: [toolText(output)] };
  return { ...base, content: [toolText(state.error)], isError: true };
}

function toolText(text: Json | undefined): ContentPart {
  return { type: 'text', origin: 'tool', text: typeof text === 'string' ? text : JSON.stringify(text ?? '') };
}

function metadata(part: JsonObject, provider: string): JsonObject {
  const all = isObject(part.metadata) ? part.metadata[provider] : undefined;
  return isObject(all) ? all : {};
}

/** Gemini signs everything that its models say. */
function signed(part: JsonObject): { readonly signature?: string } {
  const signature = intact(metadata(part, 'google').thoughtSignature);
  return signature === undefined ? {} : { signature };
}

/** A proof that a filter of secrets has cut proves nothing. */
function intact(proof: Json | undefined): string | undefined {
  return typeof proof === 'string' && proof !== '' && !isRedacted(proof) ? proof : undefined;
}
