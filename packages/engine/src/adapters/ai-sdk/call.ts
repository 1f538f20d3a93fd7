import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import {
  type ContentPart,
  type Dialect,
  isSent,
  type MediaSource,
  type Message,
  type Part,
  type ToolResultPart,
} from '../../message/index.ts';
import { askForCompaction, type ModelOptions, type ModelRequest } from '../../models/index.ts';
import { cacheMember, named, optionsOf } from './proof.ts';

interface Way {
  readonly dialect: Dialect;
  /** The version of AI SDK's contract: files are written differently before the fourth. */
  readonly version: 'v2' | 'v3' | 'v4';
}

/** A request in AI SDK's words. */
export function callOf({
  request,
  providerOptions,
  ...way
}: Way & {
  readonly request: ModelRequest;
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
}): LanguageModelV4CallOptions {
  const { head, items, tools, options, signal } = request;
  const { maxOutputTokens, temperature, stop, toolChoice: choice, thinking, purpose } = options;
  const names = new Map(items.flatMap(({ parts }) => parts.flatMap(nameOfCall)));
  const effort = thinking === 'off' ? 'none' : thinking !== undefined && 'effort' in thinking && thinking.effort;
  const call = {
    prompt: [
      ...head.map((message) => systemOf({ message, ...way })),
      ...items.flatMap((message) => messagesOf({ message, names, ...way })),
    ] as LanguageModelV4Prompt,
    tools: tools.map(({ cache, ...tool }) => ({
      ...{ type: 'function', ...tool, ...named({ ...way, members: cacheMember({ ...(cache && { cache }) }) }) },
    })),
    toolChoice: typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : choice && { type: choice },
    ...{ maxOutputTokens, temperature, abortSignal: signal, stopSequences: stop && [...stop] },
    ...(effort && { reasoning: effort }),
    headers: {
      ...askForCompaction({ dialect: way.dialect, request }).headers,
      ...(purpose && purpose !== 'conversation' && { 'x-interaction-type': purpose }),
    },
    providerOptions: merged([defaultsOf({ options, ...way }), providerOptions]),
  };
  const { tools: offered, toolChoice, ...rest } = defined(call);
  return (tools.length > 0 ? { ...rest, tools: offered, toolChoice } : rest) as LanguageModelV4CallOptions;
}

/** AI SDK wants a number; this one is Anthropic's default. */
const usualThreshold = 150_000;

/** The log is ours: OpenAI is not asked to keep another one, and reasoning comes sealed instead. */
function defaultsOf({ options, dialect }: Way & { readonly options: ModelOptions }): Record<string, JsonObject> {
  const { thinking, cacheKey, providerCompaction: compaction } = options;
  const budget = typeof thinking === 'object' && 'budgetTokens' in thinking ? thinking.budgetTokens : undefined;
  if (dialect === 'anthropic') {
    const managed = compaction && askForCompaction({ dialect, request: { items: [], options } }).body;
    return {
      anthropic: {
        ...(budget !== undefined && { thinking: { type: 'enabled', budgetTokens: budget } }),
        ...(managed && { contextManagement: managed.context_management }),
      },
    };
  }
  if (dialect === 'gemini' && budget !== undefined) return { google: { thinkingConfig: { thinkingBudget: budget } } };
  if (dialect !== 'openai-responses') return {};
  const threshold = compaction?.triggerTokens ?? usualThreshold;
  const own = {
    ...{ store: false, include: ['reasoning.encrypted_content'], ...(cacheKey && { promptCacheKey: cacheKey }) },
    ...(compaction && { contextManagement: [{ type: 'compaction', compactThreshold: threshold }] }),
  };
  return { openai: own, azure: own };
}

function merged(all: readonly Readonly<Record<string, JsonObject>>[]): Record<string, JsonObject> {
  const result: Record<string, JsonObject> = {};
  for (const options of all)
    for (const [name, members] of Object.entries(options)) result[name] = { ...result[name], ...members };
  return result;
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

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
