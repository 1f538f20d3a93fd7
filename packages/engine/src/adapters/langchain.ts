/**
 * LangChain: a middleware for `createAgent` that keeps its threads inside the model's window.
 *
 * @module
 */
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createMiddleware,
  HumanMessage,
  ToolMessage,
  tool,
} from 'langchain';
import { z } from 'zod';
import { recallDefinition } from '../engine/internal.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { type Dialect, type Part, system, type ToolDefinition } from '../message/index.ts';
import type { TargetModel, Usage } from '../models/index.ts';
import {
  createThreads,
  type HostFormat,
  type HostOptions,
  type HostSessions,
  hostModel,
  recallFor,
} from './host-history.ts';

/**
 * A middleware that keeps every model call of an agent inside its window, and adds the tool `recall`. The agent's state and
 * its checkpoints keep the full history; only what is sent is smaller. With `createLonghaul`'s result in place of a
 * session, each thread has a session of its own, with the thread's id.
 *
 * @example
 * import { createAgent } from 'langchain';
 * const sessions = await createLonghaul({ dir: '.longhaul' });
 * const agent = createAgent({ model: 'openai:gpt-5', tools: [], middleware: [longhaulMiddleware(sessions)] });
 * await agent.invoke({ messages: 'Fix the failing test' }, { configurable: { thread_id: 'port-billing' } });
 */
export function longhaulMiddleware(
  sessions: HostSessions,
  { window, model: fixed }: HostOptions = {},
): AgentMiddleware {
  const hint = "Invoke the agent with `{ configurable: { thread_id: '…' } }`, or give the middleware a session.";
  const threadOf = createThreads({ sessions, format, hint });
  const recall = tool(
    async (input: unknown, { configurable }: { configurable?: { thread_id?: string } }) =>
      recallFor((await threadOf(configurable?.thread_id)).session).run({ arguments: JSON.stringify(input) }),
    { ...recallDefinition, schema: recallDefinition.inputSchema as never },
  );
  return createMiddleware({
    name: 'Longhaul',
    tools: [recall],
    async wrapModelCall(request, handler) {
      const { messages, systemMessage, tools, runtime } = request;
      const followed = await threadOf(runtime.configurable?.thread_id);
      const model = fixed ?? modelOf({ model: request.model, window });
      const rules = messages.filter(({ type }) => type === 'system');
      const answer = await followed.fit({
        history: messages,
        model,
        head: [systemMessage, ...rules]
          .map(({ text }) => text)
          .filter((text) => text !== '')
          .map((text) => system(text)),
        tools: tools.flatMap(definitionOf),
        signal: runtime.signal,
        send: ({ groups }) => handler({ ...request, messages: [...rules, ...groups.flat()] }),
      });
      await followed.report(usageOf(answer));
      if ((answer.tool_calls ?? []).length === 0) await followed.record({ history: [...messages, answer], model });
      return answer;
    },
  });
}

const kind = 'langchain';

const format: HostFormat<BaseMessage> = {
  name: kind,
  read({ message, model: { dialect } }) {
    if (message.type === 'system') return undefined;
    const blocks = blocksOf(message.content);
    if (ToolMessage.isInstance(message)) {
      const { tool_call_id: callId, name, status } = message;
      const content = blocks.map((block) => blockPart({ block, origin: 'tool', dialect }) as never);
      const result = { type: 'tool_result', origin: 'tool', callId, content } as const;
      const isError = status === 'error' ? ({ isError: true } as const) : {};
      return { role: 'tool', parts: [{ ...result, ...(name !== undefined && { name }), ...isError }] };
    }
    if (!AIMessage.isInstance(message))
      return { role: 'user', parts: blocks.map((block) => blockPart({ block, origin: 'human', dialect })) };
    // Providers that list calls among their blocks repeat them in `tool_calls`.
    const said = blocks.filter(({ type }) => !callBlocks.has(String(type)));
    const calls = (message.tool_calls ?? []).map(
      ({ id = '', name, args }): Part => ({
        type: 'tool_call',
        origin: 'model',
        id,
        name,
        arguments: JSON.stringify(args),
      }),
    );
    return {
      role: 'assistant',
      parts: [...said.map((block) => blockPart({ block, origin: 'model', dialect })), ...calls],
    };
  },
  write({ item }) {
    const results = item.parts.filter((part) => part.type === 'tool_result');
    if (results.length > 0)
      return results.map(({ callId, name, content, isError }) => {
        const fields = {
          tool_call_id: callId,
          content: contentOf(content),
          status: isError ? 'error' : 'success',
        } as const;
        return new ToolMessage(name === undefined ? fields : { ...fields, name });
      });
    const calls = item.parts.filter((part) => part.type === 'tool_call');
    const content = contentOf(item.parts.filter((part) => part.type !== 'tool_call'));
    if (item.role !== 'assistant') return [new HumanMessage({ content })];
    const tool_calls = calls.map(({ id, name, arguments: text }) => ({
      id,
      name,
      args: JSON.parse(text || '{}'),
      type: 'tool_call' as const,
    }));
    return [new AIMessage({ content, tool_calls })];
  },
};

const callBlocks = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'function_call', 'input_json_delta']);

type Block = Readonly<Record<string, unknown>>;

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function blockPart({
  block,
  origin,
  dialect,
}: {
  readonly block: Block;
  readonly origin: Part['origin'];
  readonly dialect: Dialect;
}): Part {
  const { type, text, thinking, signature, image_url: image } = block;
  if (type === 'text' && typeof text === 'string') return { type, origin, text };
  if (type === 'thinking' && typeof signature === 'string')
    return { type, origin, text: String(thinking ?? ''), signature, wire: { dialect } };
  const url = typeof image === 'object' && image !== null && 'url' in image ? image.url : image;
  if (type === 'image_url' && typeof url === 'string') return { type: 'image', origin, source: { kind: 'url', url } };
  // Everything else is kept as LangChain has it.
  return { type: 'opaque', origin, dialect, kind, value: JSON.parse(JSON.stringify(block)) as Json };
}

/** The content of a message that LangChain does not hold: a string where it is only text. */
function contentOf(parts: readonly Part[]) {
  const blocks = parts.flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'thinking' && part.signature)
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
    if (part.type === 'image' && part.source.kind === 'url')
      return [{ type: 'image_url', image_url: { url: part.source.url } }];
    return part.type === 'opaque' && part.kind === kind ? [part.value as object] : [];
  });
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === blocks.length ? texts.join('\n\n') : (blocks as never);
}

/** The model of a request; classes of LangChain name their provider and their model. */
function modelOf({ model, window }: { readonly model: unknown; readonly window: number | undefined }): TargetModel {
  const {
    model: name,
    modelName,
    _llmType: type,
    useResponsesApi,
  } = model as {
    readonly model?: string;
    readonly modelName?: string;
    readonly _llmType?: () => string;
    readonly useResponsesApi?: boolean;
  };
  const provider = typeof type === 'function' ? type.call(model) : undefined;
  const dialect = provider === 'openai' ? (useResponsesApi ? 'openai-responses' : 'openai-chat') : undefined;
  return hostModel({ provider, name: name ?? modelName ?? 'unknown', dialect, window });
}

function definitionOf(offered: unknown): ToolDefinition[] {
  const { name, description, schema } = offered as { name?: unknown; description?: string; schema?: unknown };
  if (typeof name !== 'string') return [];
  return [{ name, ...(description !== undefined && { description }), inputSchema: jsonSchema(schema) }];
}

function usageOf({ usage_metadata }: { readonly usage_metadata?: unknown }): Usage | undefined {
  if (!isObject(usage_metadata)) return undefined;
  const { input_tokens: total, output_tokens: output, input_token_details: details } = usage_metadata;
  const { cache_read: read, cache_creation: written } = isObject(details) ? details : {};
  const [cacheRead, cacheWrite] = [Number(read ?? 0), Number(written ?? 0)];
  return { input: Math.max(0, Number(total) - cacheRead - cacheWrite), output: Number(output), cacheRead, cacheWrite };
}

/** A schema of a framework's tool as JSON Schema, for counting: as it is, or from zod. */
function jsonSchema(schema: unknown): JsonObject {
  try {
    return (isObject(schema) && '_zod' in schema ? z.toJSONSchema(schema as never) : schema) as JsonObject;
  } catch {
    return {};
  }
}
