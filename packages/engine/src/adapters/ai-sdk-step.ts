import { createHash } from 'node:crypto';
import type { EngineSession } from '../engine/index.ts';
import type { ContentPart, Message, Part } from '../message/index.ts';
import { modelInfo, type TargetModel } from '../models/index.ts';
import type { EntryId } from '../session/index.ts';
import { promptOf } from './ai-sdk-prompt.ts';

/** A message of the AI SDK (`ModelMessage`), as far as it is read here. */
export interface HostMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What the AI SDK gives to `prepareStep`. Older releases give `messages` only. */
export interface HostStep {
  readonly messages: readonly HostMessage[];
  readonly initialMessages?: readonly HostMessage[];
  readonly responseMessages?: readonly HostMessage[];
  readonly model?: unknown;
  readonly steps?: readonly { readonly usage?: HostUsage }[];
}

interface HostUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}

/**
 * The hook for the AI SDK's loops (`generateText`, `streamText`, agents). Each step it appends the messages that are new to
 * the session, reports the usage of the step before, and returns the messages to send: the SDK's own objects where they are
 * sent unchanged, and the summary or elided outputs in place of what was compacted. A history that departs from the log
 * (an edited prompt) moves the session to the last common message first.
 *
 * @example
 * const prepareStep = createPrepareStep({ session: await engine.create() });
 * await generateText({ model: anthropic('claude-opus-5'), messages, tools, prepareStep });
 */
export function createPrepareStep({
  session,
  model,
}: {
  readonly session: EngineSession;
  /** The model to count for; by default the one that the SDK is about to call. */
  readonly model?: TargetModel;
}): <M extends HostMessage>(step: HostStep & { readonly messages: readonly M[] }) => Promise<{ messages: M[] }> {
  const known = new Map<string, EntryId>();
  const originals = new Map<string, HostMessage>();
  let reported = 0;

  return async <M extends HostMessage>(step: HostStep & { readonly messages: readonly M[] }) => {
    const { initialMessages, responseMessages = [], messages, steps = [] } = step;
    const history = (initialMessages ? [...initialMessages, ...responseMessages] : messages).filter(
      ({ role }) => role !== 'system',
    );
    const target = model ?? targetOf(step.model);
    for (; reported < steps.length; reported += 1) await reportUsage(steps[reported]?.usage);
    const turn = await sync(history);
    const said = turn && { turn: { messages: [turn.message], key: turn.key } };
    const { items } = await session.prepare({ model: target, ...said });
    return { messages: items.flatMap((item) => hostMessages({ item, target })) as M[] };
  };

  /**
   * Appends what the log does not hold yet, all but the newest message of a person: that one is returned as the turn of the
   * next request, because it is pending input until it is answered.
   */
  async function sync(history: readonly HostMessage[]): Promise<ChainedMessage | undefined> {
    const chained = chain(history);
    await lookUp(chained);
    const firstNew = chained.findIndex(({ key }) => !known.has(key));
    if (firstNew < 0) return undefined;
    const shared = chained[firstNew - 1];
    if (shared) await moveAfter(known.get(shared.key) as EntryId);
    const fresh = chained.slice(firstNew);
    const turn = fresh.at(-1)?.message.role === 'user' ? fresh.pop() : undefined;
    for (const { key, message } of fresh) {
      const { id } = await session.append({ type: 'message', message, key: `${key}:0` });
      known.set(key, id);
    }
    return turn;
  }

  /** Keys of a restarted process are in the log only. */
  async function lookUp(chained: readonly ChainedMessage[]): Promise<void> {
    const missing = chained.filter(({ key }) => !known.has(key));
    if (missing.length === 0) return;
    const entries = await session.session.read({ keys: missing.map(({ key }) => `${key}:0`) });
    for (const entry of entries)
      if (entry.type === 'message' && entry.key !== undefined) known.set(entry.key.slice(0, -2), entry.id);
  }

  function chain(history: readonly HostMessage[]): ChainedMessage[] {
    let digest = '';
    return history.map((host) => {
      digest = createHash('sha256').update(digest).update(canonical(host)).digest('hex');
      const message = neutralMessage(host);
      originals.set(canonical(message), host);
      return { key: `ai-sdk:${digest}`, message };
    });
  }

  /** Leaves the messages behind that follow the last one which the SDK's history shares with the log. */
  async function moveAfter(last: EntryId): Promise<void> {
    const path = await session.session.path();
    const index = path.findIndex(({ id }) => id === last);
    const departs = index < 0 || path.slice(index + 1).some(({ type }) => type === 'message');
    if (departs) await session.move({ to: last, summarize: false });
  }

  async function reportUsage(usage: HostUsage | undefined): Promise<void> {
    const { inputTokens, outputTokens = 0, inputTokenDetails = {} } = usage ?? {};
    if (inputTokens === undefined) return;
    const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = inputTokenDetails;
    const input = Math.max(0, inputTokens - cacheRead - cacheWrite);
    await session.report({ usage: { input, output: outputTokens, cacheRead, cacheWrite } });
  }

  function hostMessages({ item, target }: { readonly item: Message; readonly target: TargetModel }): object[] {
    const original = originals.get(canonical(item));
    return original ? [original] : promptOf({ head: [], items: [item], dialect: target.dialect });
  }
}

/** A message with a key that names it and everything before it. */
interface ChainedMessage {
  readonly key: string;
  readonly message: Message;
}

const unknownModel = { provider: 'unknown', name: 'unknown' };

/** What the SDK is about to call, from its model object (`{ provider: 'anthropic.messages', modelId }`) or a gateway id. */
function targetOf(model: unknown): TargetModel {
  const id = idOf(model);
  const info = modelInfo(id);
  return { id, info, dialect: info.dialects[0] ?? 'openai-chat' };
}

function idOf(model: unknown): TargetModel['id'] {
  if (typeof model === 'string') {
    const [provider = '', ...name] = model.split('/');
    return name.length > 0 ? { provider, name: name.join('/') } : { ...unknownModel, name: model };
  }
  if (!isRecord(model) || typeof model.modelId !== 'string') return unknownModel;
  const provider = typeof model.provider === 'string' ? model.provider.split('.')[0] : undefined;
  return { provider: provider ?? unknownModel.provider, name: model.modelId };
}

function neutralMessage({ role, content }: HostMessage): Message {
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  const origin = role === 'assistant' ? 'model' : role === 'tool' ? 'tool' : 'human';
  const parts = list.filter(isRecord).map((part) => neutralPart({ part, origin }));
  return { role: role === 'assistant' || role === 'tool' ? role : 'user', parts };
}

type HostPart = Readonly<Record<string, unknown>>;

function neutralPart({ part, origin }: { readonly part: HostPart; readonly origin: Part['origin'] }): Part {
  const { type, text = '', toolCallId, toolName } = part;
  if (type === 'tool-call')
    return {
      type: 'tool_call',
      origin: 'model',
      id: String(toolCallId),
      name: String(toolName),
      arguments: JSON.stringify(part.input ?? {}),
    };
  if (type === 'tool-result') {
    const { content, isError } = outputOf(part.output);
    const result = { type: 'tool_result', origin: 'tool', callId: String(toolCallId), name: String(toolName) } as const;
    return { ...result, content, ...(isError && { isError }) };
  }
  if (type === 'reasoning') return { type: 'thinking', origin: 'model', text: String(text) };
  if (type === 'image' || type === 'file') return mediaPart({ part, origin });
  // Parts that the neutral model has no word for are counted and summarized by their JSON; the SDK's own object is sent.
  return { type: 'text', origin, text: type === 'text' ? String(text) : canonical(part) };
}

function outputOf(output: unknown): { readonly content: ContentPart[]; readonly isError?: true } {
  if (!isRecord(output)) return { content: [textPart(String(output ?? ''))] };
  const { type, value, reason } = output;
  const isError = type === 'error-text' || type === 'error-json' || type === 'execution-denied';
  const failed = isError ? ({ isError } as const) : {};
  if (type === 'content' && Array.isArray(value)) {
    const content = value.filter(isRecord).map((part): ContentPart => {
      if (part.type === 'text') return textPart(String(part.text ?? ''));
      const media = mediaPart({ part, origin: 'tool' });
      return media.type === 'image' || media.type === 'document' ? media : textPart(canonical(part));
    });
    return { content, ...failed };
  }
  const text = type === 'execution-denied' ? reason : value;
  return { content: [textPart(typeof text === 'string' ? text : canonical(text ?? ''))], ...failed };
}

function textPart(text: string): ContentPart {
  return { type: 'text', origin: 'tool', text };
}

function mediaPart({ part, origin }: { readonly part: HostPart; readonly origin: Part['origin'] }): Part {
  const { image, data = image, mediaType = 'image/png', filename } = part;
  const type = String(mediaType).startsWith('image/') ? 'image' : 'document';
  const name = typeof filename === 'string' && type === 'document' ? { name: filename } : {};
  const media = String(mediaType);
  if (data instanceof URL) return { type, origin, source: { kind: 'url', url: data.href, mediaType: media }, ...name };
  if (typeof data === 'string' && /^(https?|data):/.test(data))
    return { type, origin, source: { kind: 'url', url: data, mediaType: media }, ...name };
  const bytes = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
  if (typeof bytes !== 'string') return { type: 'text', origin, text: canonical(part) };
  return { type, origin, source: { kind: 'base64', mediaType: media, data: bytes }, ...name };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** JSON with sorted members, so that equal values have equal texts; bytes as base64. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
    if (!isRecord(inner) || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
