/**
 * pi: an extension that keeps its sessions inside the model's window. pi's own session file is not touched.
 *
 * @module
 */
import { recallDefinition } from '../engine/internal.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { type Dialect, type Part, system, type ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import {
  createThreads,
  type HostFormat,
  type HostOptions,
  type HostSessions,
  hostModel,
  recallFor,
} from './host-history.ts';

/** A message of pi's agent, as far as it is read here. */
interface PiMessage {
  readonly role: string;
}

/** What pi gives to a handler, as far as it is read here. */
interface PiContext {
  readonly model?:
    | { readonly id: string; readonly provider: string; readonly api: string; readonly contextWindow: number }
    | undefined;
  readonly sessionManager: { getSessionId(): string };
  readonly signal: AbortSignal | undefined;
  getSystemPrompt(): string;
}

type Handler = (event: never, context: never) => unknown;

/** The part of pi's extension API that is used; its overloads differ between releases. */
interface PiApi {
  readonly on: unknown;
  readonly registerTool: unknown;
  readonly getActiveTools?: unknown;
  readonly getAllTools?: unknown;
}

/** The same with the types of the releases that were tried. */
interface TypedApi {
  on(event: string, handler: Handler): void;
  registerTool(tool: object): void;
  getActiveTools?(): readonly string[];
  getAllTools?(): readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
}

/**
 * An extension for pi. Before each model call it sends the session's view of pi's messages; pi's own compaction is replaced
 * by the session's. Each session of pi has a session with the same id. Save this as `.pi/extensions/longhaul.ts`:
 *
 * @example
 * const extension = longhaulExtension(await createLonghaul({ dir: '.longhaul' }));
 * export { extension as default };
 */
export function longhaulExtension(
  sessions: HostSessions,
  { window, model: fixed }: HostOptions = {},
): (pi: PiApi) => void {
  const threadOf = createThreads({ sessions, format, hint: 'Start pi with a session.' });
  const targetOf = ({ model }: PiContext) => fixed ?? modelOf({ model, window });
  let last: readonly PiMessage[] = [];
  let activeTools: () => readonly ToolDefinition[] = () => [];

  const handlers = {
    async context({ messages }: { readonly messages: readonly PiMessage[] }, context: PiContext) {
      const followed = await threadOf(context.sessionManager.getSessionId());
      last = messages;
      await followed.report(usageOf(messages.findLast(({ role }) => role === 'assistant')));
      const prompt = context.getSystemPrompt();
      const head = prompt === '' ? {} : { head: [system(prompt)] };
      const view = await followed.view({
        history: messages,
        model: targetOf(context),
        signal: context.signal,
        tools: activeTools(),
        ...head,
      });
      return { messages: view.groups.flat() };
    },
    async agent_end({ messages }: { readonly messages: readonly PiMessage[] }, context: PiContext) {
      const answer = messages.at(-1);
      if (answer?.role !== 'assistant' || last.length === 0) return;
      const followed = await threadOf(context.sessionManager.getSessionId());
      await followed.record({ history: [...last, answer], model: targetOf(context) });
    },
    async session_before_compact(
      { customInstructions: focus }: { readonly customInstructions?: string },
      context: PiContext,
    ) {
      const { session } = await threadOf(context.sessionManager.getSessionId());
      await session.compact({ model: targetOf(context), ...(focus !== undefined && { focus }) });
      return { cancel: true };
    },
  };

  return (pi) => {
    const api = pi as TypedApi;
    activeTools = () => {
      const active = new Set(api.getActiveTools?.());
      const known = api.getAllTools?.().filter((tool) => active.has(tool.name)) ?? [];
      return known.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
    };
    for (const [event, handler] of Object.entries(handlers)) api.on(event, handler as Handler);
    const { name, description, inputSchema } = recallDefinition;
    const recall = {
      name,
      label: 'Recall',
      description,
      parameters: inputSchema,
      async execute(_: string, input: object, __: unknown, ___: unknown, context: PiContext) {
        const { session } = await threadOf(context.sessionManager.getSessionId());
        const text = await recallFor(session).run({ arguments: JSON.stringify(input) });
        return { content: [{ type: 'text', text }], details: {} };
      },
    };
    api.registerTool(recall);
  };
}

const dialects: Readonly<Record<string, Dialect>> = {
  'anthropic-messages': 'anthropic',
  'openai-completions': 'openai-chat',
  'openai-responses': 'openai-responses',
  'google-generative-ai': 'gemini',
};

function modelOf({
  model,
  window,
}: {
  readonly model: PiContext['model'];
  readonly window: number | undefined;
}): TargetModel {
  if (!model) return hostModel({ name: 'unknown', window });
  const { id: name, provider, api, contextWindow } = model;
  return hostModel({
    provider,
    name,
    dialect: dialects[api],
    window: Math.min(contextWindow, window ?? contextWindow),
  });
}

function usageOf(message: PiMessage | undefined) {
  const usage = isObject(message) ? message.usage : undefined;
  if (!isObject(usage)) return undefined;
  const [input, output, cacheRead, cacheWrite] = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite].map(
    Number,
  );
  return { input: input ?? 0, output: output ?? 0, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0 };
}

const kind = 'pi';

const format: HostFormat<PiMessage> = {
  name: kind,
  read({ message, model: { dialect } }) {
    const { role, content, toolCallId, toolName, isError } = JSON.parse(JSON.stringify(message)) as Record<
      string,
      Json
    >;
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
    const origin =
      role === 'assistant' ? 'model' : role === 'toolResult' ? 'tool' : role === 'user' ? 'human' : 'engine';
    const parts = blocks.map((block: Record<string, Json>) => partOf({ block, origin, dialect }));
    if (role === 'assistant') return { role, parts };
    if (role !== 'toolResult')
      return {
        role: 'user',
        parts: parts.length > 0 ? parts : [{ type: 'text', origin, text: JSON.stringify(message) }],
      };
    const result = { type: 'tool_result', origin: 'tool', callId: String(toolCallId), name: String(toolName) } as const;
    const failed = isError ? ({ isError } as { isError: true }) : {};
    return { role: 'tool', parts: [{ ...result, content: parts as never, ...failed }] };
  },
  write({ item: { role, parts } }) {
    const timestamp = 0;
    if (role === 'tool')
      return parts.flatMap((part) => {
        if (part.type !== 'tool_result') return [];
        const { callId: toolCallId, name: toolName = '', isError = false } = part;
        return [
          { role: 'toolResult', toolCallId, toolName, isError, content: part.content.flatMap(blockOf), timestamp },
        ];
      });
    return [{ role: role === 'assistant' ? role : 'user', content: parts.flatMap(blockOf), timestamp }];
  },
};

function partOf({
  block,
  origin,
  dialect,
}: {
  block: Record<string, Json>;
  origin: Part['origin'];
  dialect: Dialect;
}): Part {
  const { type, text, data, mimeType, id, name, arguments: input, thinking, thinkingSignature: signature } = block;
  if (type === 'text') return { type, origin, text: String(text) };
  if (type === 'toolCall')
    return {
      type: 'tool_call',
      origin: 'model',
      id: String(id),
      name: String(name),
      arguments: JSON.stringify(input ?? {}),
    };
  if (type === 'image')
    return { type, origin, source: { kind: 'base64', mediaType: String(mimeType), data: String(data) } };
  if (type === 'thinking')
    return {
      type,
      origin,
      text: String(thinking),
      ...(typeof signature === 'string' && { signature }),
      wire: { dialect },
    };
  return { type: 'opaque', origin, dialect, kind, value: block };
}

function blockOf(part: Part): object[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'image' && part.source.kind === 'base64')
    return [{ type: 'image', data: part.source.data, mimeType: part.source.mediaType }];
  if (part.type === 'tool_call')
    return [{ type: 'toolCall', id: part.id, name: part.name, arguments: JSON.parse(part.arguments || '{}') }];
  return part.type === 'opaque' && part.kind === kind ? [part.value as object] : [];
}
