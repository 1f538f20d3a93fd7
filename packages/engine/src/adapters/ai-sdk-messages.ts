import type { Json } from '../json.ts';
import type { ContentPart, Dialect, Message, Part } from '../message/index.ts';
import { argumentsOf, isSent, reminderText } from '../message/internal.ts';
import type { Model, ModelRequest, TargetModel } from '../models/index.ts';
import { withBreakpoints } from '../models/internal.ts';
import { type HostFormat, type HostView, hostModel } from './host-history.ts';

/** A message of the AI SDK (`ModelMessage` and the prompts of its models), as far as it is read here. */
export interface HostMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A part's `wire` as logs of older versions may have it: with another name for `metadata`. */
type StoredWire = Part['wire'] & { readonly beside?: NonNullable<Part['wire']>['metadata'] };

/** The SDK's provider options for a part: the metadata it delivered with the part, and the cache breakpoint. */
export function providerOptionsOf({
  cache,
  wire,
}: {
  readonly cache?: Part['cache'] | undefined;
  readonly wire?: Part['wire'];
}) {
  const stored: StoredWire | undefined = wire;
  const mark = cache && { cacheControl: { type: 'ephemeral', ...cache } };
  const { metadata = stored?.beside } = stored ?? {};
  return { providerOptions: { ...metadata, anthropic: { ...metadata?.anthropic, ...mark } } };
}

/** Head and items as a prompt of the SDK. */
export function promptOf({
  head,
  items,
  dialect,
}: Pick<ModelRequest, 'head' | 'items'> & Pick<Model, 'dialect'>): object[] {
  const rules = head.flatMap(({ parts }) => parts.filter((part) => part.type === 'text'));
  const calls = items.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_call'));
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  const messages = items.flatMap(({ role, parts }) => {
    const speaker = role === 'assistant' ? role : 'user';
    const sent = parts.filter((part) => isSent(part, dialect) && (part.type !== 'opaque' || part.kind === hostPart));
    const groups = Object.entries(Object.groupBy(sent, ({ type }) => (type === 'tool_result' ? 'tool' : speaker)));
    const written = (part: Part) =>
      part.type === 'opaque'
        ? contentOf({ part, role, names })
        : { ...contentOf({ part, role, names }), ...providerOptionsOf(part) };
    return groups.map(([role, parts]) => ({ role, content: parts.map(written) }));
  });
  return [...rules.map((part) => ({ role: 'system', content: part.text, ...providerOptionsOf(part) })), ...messages];
}

function contentOf({ part, role, names }: { part: Part; role: string; names: Map<string, string> }): object {
  if (part.type === 'text') return { type: 'text', text: role === 'system' ? reminderText(part.text) : part.text };
  if (part.type === 'thinking') return { type: 'reasoning', text: part.text };
  if (part.type === 'opaque')
    return part.kind === hostPart ? (part.value as object) : { type: 'custom', kind: part.kind };
  if (part.type === 'tool_call')
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: argumentsOf(part) };
  if (part.type === 'tool_result') {
    const { callId: toolCallId, name: toolName = names.get(toolCallId) ?? 'unknown', content, isError } = part;
    const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    const isText = isError || texts.length === content.length;
    const value = isText ? texts.join('\n\n') : content.map((each) => contentOf({ part: each, role, names }));
    const output = { type: isError ? 'error-text' : isText ? 'text' : 'content', value };
    return { type: 'tool-result', toolCallId, toolName, output };
  }
  const { source } = part;
  if (source.kind === 'text') return { type: 'text', text: source.text };
  const [mediaType, filename] = part.type === 'image' ? ['image/*'] : ['application/pdf', part.name];
  const byName = (id: string) => ({ type: 'reference', reference: { anthropic: id, openai: id } });
  if (source.kind === 'file') return { type: 'file', mediaType, data: byName(source.id) };
  const data = source.kind === 'url' ? { type: 'url', url: new URL(source.url) } : { type: 'data', data: source.data };
  return { type: 'file', mediaType: source.mediaType ?? mediaType, filename, data };
}

/** The kind of parts that the neutral model has no form for: kept as the SDK wrote them. */
const hostPart = 'ai-sdk';

/** Messages of the AI SDK, without its system messages. */
export const aiSdkFormat: HostFormat<HostMessage> = {
  name: 'ai-sdk',
  read({ message: { role, content }, model: { dialect } }) {
    if (role === 'system') return undefined;
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const origin = role === 'assistant' ? 'model' : role === 'tool' ? 'tool' : 'human';
    const parts = (Array.isArray(list) ? list : []).filter(isRecord).map((part) => partOf({ part, origin, dialect }));
    return { role: role === 'assistant' || role === 'tool' ? role : 'user', parts };
  },
  write: ({ item, model: { dialect } }) => promptOf({ head: [], items: [item], dialect }) as HostMessage[],
};

/**
 * The prompt for a view: system messages, then what is sent of the conversation. Where the provider caches at breakpoints
 * and the caller set none, they are put where the next request will look for them.
 */
export function markedPrompt({
  rules,
  view: { groups, prepared },
  model: { dialect, info },
}: {
  readonly rules: readonly HostMessage[];
  readonly view: HostView<HostMessage>;
  readonly model: TargetModel;
}): HostMessage[] {
  const prompt = [...rules, ...groups.flat()];
  if (JSON.stringify(plain(prompt)).includes('"cacheControl":{"')) return prompt;
  const { head, items } = withBreakpoints({ request: prepared, dialect, rules: info.cache });
  const isMarked = ({ parts }: Message) =>
    parts.some((part) => part.cache ?? (part.type === 'tool_result' && part.content.some(({ cache }) => cache)));
  const marked = (message: HostMessage | undefined) => message && [withMark(message)];
  const lastRule = head.some(isMarked) ? marked(rules.at(-1)) : undefined;
  const messages = groups.flatMap((group, at) => {
    const item = items[at];
    return item && isMarked(item) ? [...group.slice(0, -1), ...(marked(group.at(-1)) ?? [])] : group;
  });
  return [...(lastRule ? [...rules.slice(0, -1), ...lastRule] : rules), ...messages];
}

function withMark(message: HostMessage & { readonly providerOptions?: Metadata }): HostMessage {
  const { providerOptions } = message;
  const anthropic = { ...providerOptions?.anthropic, cacheControl: { type: 'ephemeral' } };
  return { ...message, providerOptions: { ...providerOptions, anthropic } } as HostMessage;
}

/** What the SDK is about to call, from its model object (`{ provider: 'anthropic.messages', modelId }`) or a gateway id. */
export function aiSdkModel({
  model,
  window,
}: {
  readonly model: unknown;
  readonly window?: number | undefined;
}): TargetModel {
  if (typeof model === 'string') {
    const [provider = '', ...rest] = model.split('/');
    return hostModel(rest.length > 0 ? { provider, name: rest.join('/'), window } : { name: model, window });
  }
  if (!isRecord(model) || typeof model.modelId !== 'string') return hostModel({ name: 'unknown', window });
  const maker = typeof model.provider === 'string' ? model.provider : '';
  const provider = maker.split('.')[0] || undefined;
  const target = hostModel({ provider, name: model.modelId, window });
  const isSpoken = (each: Dialect) => each !== 'openai-responses' || maker.endsWith('.responses');
  return { ...target, dialect: target.info.dialects.find(isSpoken) ?? 'openai-chat' };
}

type HostPart = Readonly<Record<string, unknown>>;

function partOf(input: { readonly part: HostPart; readonly origin: Part['origin']; readonly dialect: Dialect }): Part {
  const { part, origin, dialect } = input;
  const { type, text = '', toolCallId, toolName } = part;
  if (type === 'text') return { type: 'text', origin, text: String(text) };
  if (type === 'reasoning') return reasoningPart({ part, dialect });
  if (type === 'tool-call' && part.providerExecuted !== true)
    return {
      type: 'tool_call',
      origin: 'model',
      id: String(toolCallId),
      name: String(toolName),
      arguments: JSON.stringify(part.input ?? {}),
    };
  if (type === 'tool-result' && origin === 'tool') {
    const { content, isError } = outputOf(part.output);
    const result = { type: 'tool_result', origin: 'tool', callId: String(toolCallId), name: String(toolName) } as const;
    return { ...result, content, ...(isError && { isError }) };
  }
  const media = type === 'image' || type === 'file' ? mediaPart({ part, origin }) : undefined;
  return media ?? { type: 'opaque', origin, dialect, kind: hostPart, value: plain(part) };
}

/** Signatures get the names that the dialect rules look for; the SDK's metadata is kept for sending it back. */
function reasoningPart({ part, dialect }: { readonly part: HostPart; readonly dialect: Dialect }): Part {
  const metadata = isRecord(part.providerOptions) ? (plain(part.providerOptions) as Metadata) : {};
  const proofs: Readonly<Record<string, Json | undefined>> = Object.assign({}, ...Object.values(metadata));
  const signature = proofs.signature ?? proofs.thoughtSignature;
  const encrypted = proofs.redactedData ?? proofs.reasoningEncryptedContent;
  return {
    type: 'thinking',
    origin: 'model',
    text: String(part.text ?? ''),
    ...(typeof signature === 'string' && { signature }),
    ...(typeof encrypted === 'string' && { encrypted }),
    wire: { dialect, metadata, form: 'reasoning_content' },
  };
}

type Metadata = NonNullable<NonNullable<Part['wire']>['metadata']>;

function outputOf(output: unknown): { readonly content: ContentPart[]; readonly isError?: true } {
  if (!isRecord(output)) return { content: [textPart(String(output ?? ''))] };
  const { type, value, reason } = output;
  const isError = type === 'error-text' || type === 'error-json' || type === 'execution-denied';
  const failed = isError ? ({ isError } as const) : {};
  if (type === 'content' && Array.isArray(value)) {
    const content = value.filter(isRecord).map((part): ContentPart => {
      if (part.type === 'text') return textPart(String(part.text ?? ''));
      const media = mediaPart({ part, origin: 'tool' });
      return media ?? textPart(JSON.stringify(plain(part)));
    });
    return { content, ...failed };
  }
  const text = type === 'execution-denied' ? reason : value;
  return { content: [textPart(typeof text === 'string' ? text : JSON.stringify(plain(text ?? '')))], ...failed };
}

function textPart(text: string): ContentPart {
  return { type: 'text', origin: 'tool', text };
}

type MediaPart = Extract<Part, { type: 'image' | 'document' }>;

/** An image or a file, whether its data is bare (`ModelMessage`) or tagged (prompts of a model). */
function mediaPart({
  part,
  origin,
}: {
  readonly part: HostPart;
  readonly origin: Part['origin'];
}): MediaPart | undefined {
  const { image, data: given = image, mediaType: media = 'image/png', filename } = part;
  const data = isRecord(given) && !(given instanceof URL) ? (given.data ?? given.url ?? given.text) : given;
  const mediaType = String(media);
  const type = mediaType.startsWith('image') ? 'image' : 'document';
  const name = typeof filename === 'string' && type === 'document' ? { name: filename } : {};
  const url = data instanceof URL ? data.href : typeof data === 'string' && /^(https?|data):/.test(data) ? data : null;
  if (url !== null) return { type, origin, source: { kind: 'url', url, mediaType }, ...name };
  if (isRecord(given) && given.type === 'text')
    return { type: 'document', origin, source: { kind: 'text', text: String(data) }, ...name };
  const bytes = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
  return typeof bytes === 'string'
    ? { type, origin, source: { kind: 'base64', mediaType, data: bytes }, ...name }
    : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A value as JSON; bytes as base64. */
function plain(value: unknown): Json {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
  );
  return text === undefined ? null : (JSON.parse(text) as Json);
}
