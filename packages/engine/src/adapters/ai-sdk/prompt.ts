import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject, parseJson } from '../../json.ts';
import {
  type ContentPart,
  type Dialect,
  isSent,
  type MediaSource,
  type Message,
  type Part,
  type ToolResultPart,
} from '../../message/index.ts';
import { cacheMember, named, optionsOf } from './proof.ts';

export interface Way {
  readonly dialect: Dialect;
  /** The version of AI SDK's contract: files are written differently before the fourth. */
  readonly version: 'v2' | 'v3' | 'v4';
}

/** Head and conversation in AI SDK's words. */
export function promptOf({
  head,
  items,
  ...way
}: Way & { readonly head: readonly Message[]; readonly items: readonly Message[] }): LanguageModelV4Prompt {
  const names = new Map(items.flatMap(({ parts }) => parts.flatMap(nameOfCall)));
  return [
    ...head.map((message) => systemOf({ message, ...way })),
    ...items.flatMap((message) => messagesOf({ message, names, ...way })),
  ] as LanguageModelV4Prompt;
}

function systemOf({ message, dialect }: Way & { readonly message: Message }): LanguageModelV4Message {
  const content = textOf(message.parts);
  const marked = message.parts.findLast(({ cache }) => cache);
  return { role: 'system', content, ...(marked && named({ dialect, members: cacheMember(marked) })) };
}

function messagesOf({
  message,
  names,
  ...way
}: Way & { message: Message; names: ReadonlyMap<string, string> }): object[] {
  const { dialect } = way;
  const parts = message.parts.filter((part) => isSent(part, dialect));
  if (message.role === 'system') {
    if (dialect.startsWith('openai')) return [systemOf({ message, ...way })];
    const text = `<system-reminder>\n${textOf(parts)}\n</system-reminder>`;
    return [{ role: 'user', content: [{ type: 'text', text }] }];
  }
  const results = parts.filter((part) => part.type === 'tool_result');
  const content = parts.flatMap((part) => contentOf({ part, ...way }));
  return [
    ...(results.length > 0
      ? [{ role: 'tool', content: results.map((part) => resultOf({ part, names, ...way })) }]
      : []),
    ...(content.length > 0 ? [{ role: message.role === 'assistant' ? 'assistant' : 'user', content }] : []),
  ];
}

function contentOf({ part, ...way }: Way & { readonly part: Part }): object[] {
  const beside = optionsOf({ part, ...way });
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...beside }];
    case 'thinking':
      return [{ type: 'reasoning', text: part.text, ...beside }];
    case 'image':
    case 'document':
      return [{ ...fileOf({ part, ...way }), ...beside }];
    case 'tool_call': {
      const input = parseJson(part.arguments.trim() || '{}');
      const args = isObject(input) ? input : { input: input ?? part.arguments };
      return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: args, ...beside }];
    }
    case 'opaque': {
      if (part.kind !== 'compaction' || !isObject(part.value)) return [];
      if (way.dialect === 'anthropic') return [{ type: 'text', text: String(part.value.content ?? ''), ...beside }];
      return [{ type: 'custom', kind: 'openai.compaction', ...beside }];
    }
    default:
      return [];
  }
}

function resultOf({ part, names, ...way }: Way & { part: ToolResultPart; names: ReadonlyMap<string, string> }): object {
  const toolName = part.name ?? names.get(part.callId) ?? 'unknown';
  const only = part.content.length === 1 && part.content[0]?.type === 'text' ? part.content[0].text : undefined;
  const value = part.content.flatMap((nested) => nestedOf({ part: nested, ...way }));
  const output = part.isError
    ? { type: 'error-text', value: textOf(part.content) }
    : only === undefined && value.length > 0
      ? { type: 'content', value }
      : { type: 'text', value: only ?? '' };
  return { type: 'tool-result', toolCallId: part.callId, toolName, output, ...optionsOf({ part, ...way }) };
}

function nestedOf({ part, ...way }: Way & { readonly part: ContentPart }): object[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'opaque') return [];
  const file = fileOf({ part, ...way });
  const old = { v2: 'media', v3: 'file-data', v4: 'file' }[way.version];
  return [{ ...file, type: old }];
}

function fileOf({ part, dialect, version }: Way & { part: Part & { type: 'image' | 'document' } }): object {
  const { source, type } = part;
  const mediaType = mediaTypeOf(part);
  const filename = type === 'document' && part.name !== undefined ? { filename: part.name } : {};
  const data = version === 'v4' ? dataOf({ source, dialect }) : bareDataOf(source);
  return { type: 'file', mediaType, data, ...filename };
}

function mediaTypeOf({ source, type }: Part & { type: 'image' | 'document' }): string {
  if ('mediaType' in source && source.mediaType !== undefined) return source.mediaType;
  if (source.kind === 'text') return 'text/plain';
  return type === 'image' ? 'image/*' : 'application/pdf';
}

function dataOf({ source, dialect }: { readonly source: MediaSource; readonly dialect: Dialect }): object {
  switch (source.kind) {
    case 'base64':
      return { type: 'data', data: source.data };
    case 'url':
      return { type: 'url', url: new URL(source.url) };
    case 'text':
      return { type: 'text', text: source.text };
    case 'file': {
      const { providerOptions = {} } = named({ dialect, members: { id: source.id } });
      return {
        type: 'reference',
        reference: Object.fromEntries(Object.keys(providerOptions).map((key) => [key, source.id])),
      };
    }
  }
}

function bareDataOf(source: MediaSource): string | URL | Uint8Array {
  if (source.kind === 'url') return new URL(source.url);
  if (source.kind === 'text') return new TextEncoder().encode(source.text);
  return source.kind === 'file' ? source.id : source.data;
}

function nameOfCall(part: Part): [string, string][] {
  return part.type === 'tool_call' ? [[part.id, part.name]] : [];
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
