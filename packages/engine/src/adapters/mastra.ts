/**
 * Mastra: a processor for its agents that keeps their threads inside the model's window.
 *
 * @module
 */
import { z } from 'zod';
import { recallDefinition } from '../engine/internal.ts';
import { isObject, type JsonObject } from '../json.ts';
import { system, type ToolDefinition } from '../message/index.ts';
import type { TargetModel, Usage } from '../models/index.ts';
import { aiSdkFormat, aiSdkModel, type HostMessage, markedPrompt } from './ai-sdk-messages.ts';
import { createThreads, type HostHistory, type HostOptions, type HostSessions, recallFor } from './host-history.ts';

/** What Mastra gives to a processor, as far as it is read here. */
interface ProcessorCall {
  readonly model: unknown;
  readonly state: Record<string, unknown>;
  readonly requestContext?: { get(key: string): unknown } | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A processor for `inputProcessors`, `errorProcessors` and, for `recallTool`, `tools` of an agent. */
export interface LonghaulProcessor {
  readonly id: 'longhaul';
  processInputStep(call: {
    readonly tools?: Readonly<Record<string, unknown>>;
    readonly state: Record<string, unknown>;
  }): undefined;
  processLLMRequest<Prompt extends readonly HostMessage[]>(
    call: ProcessorCall & { readonly prompt: Prompt },
  ): Promise<{ prompt: Prompt }>;
  processLLMResponse(
    call: ProcessorCall & { readonly chunks: readonly { readonly type: string; readonly payload: unknown }[] },
  ): Promise<undefined>;
  processAPIError(
    call: Omit<ProcessorCall, 'model'> & { readonly error: unknown; readonly retryCount: number },
  ): Promise<{ retry: boolean } | undefined>;
  /** Lets the model read what is no longer sent. */
  readonly recallTool: {
    readonly id: 'recall';
    readonly description: string;
    readonly inputSchema: z.ZodType<object>;
    execute(input: unknown, context?: unknown): Promise<string>;
  };
}

/**
 * A processor that keeps every model call of an agent inside its window. Mastra's memory keeps the full history; only what is
 * sent is smaller. With `createLonghaul`'s result in place of a session, each thread has a session of its own, with the
 * thread's id. As an error processor it has a request sent once more, smaller, that the provider rejected as too long.
 *
 * @example
 * const processor = longhaulProcessor(await createLonghaul({ dir: '.longhaul' }));
 * const agent = {
 *   inputProcessors: [processor],
 *   errorProcessors: [processor],
 *   tools: { recall: processor.recallTool },
 * };
 */
export function longhaulProcessor(
  sessions: HostSessions,
  { window, model: fixed }: HostOptions = {},
): LonghaulProcessor {
  const hint = "Call the agent with `{ memory: { thread: '…', resource: '…' } }`, or give the processor a session.";
  const threadOf = createThreads({ sessions, format: aiSdkFormat, hint });
  return {
    id: 'longhaul',
    // The tools are given here, and the messages as they are sent to `processLLMRequest`.
    processInputStep({ tools = {}, state }) {
      Object.assign(state, { longhaulTools: Object.entries(tools).map(definitionOf) });
    },
    async processLLMRequest<Prompt extends readonly HostMessage[]>({
      prompt,
      model,
      state,
      requestContext,
      abortSignal: signal,
    }: ProcessorCall & { readonly prompt: Prompt }) {
      const followed = await threadOf(threadIn(requestContext));
      const target = fixed ?? aiSdkModel({ model, window });
      const history = prompt.map(withoutStamp);
      Object.assign(state, { longhaul: { followed, history, target } satisfies RequestState });
      const rules = history.filter(({ role }) => role === 'system');
      const head = rules.map(({ content }) => system(String(content)));
      const tools = (state.longhaulTools ?? []) as readonly ToolDefinition[];
      const view = await followed.view({ history, model: target, head, tools, signal });
      const groups = view.groups.map((group) => group.map(untagged));
      return {
        prompt: markedPrompt({ rules, view: { ...view, groups }, model: target }) as readonly HostMessage[] as Prompt,
      };
    },
    async processLLMResponse({ chunks, state }) {
      const { followed, history, target } = state.longhaul as RequestState;
      const payloads = (type: string) => chunks.flatMap((chunk) => (chunk.type === type ? [chunk.payload] : []));
      await followed.report(usageIn(payloads('finish').at(-1)));
      const text = payloads('text-delta').map((payload) => (isObject(payload) ? String(payload.text ?? '') : ''));
      if (payloads('tool-call').length > 0 || text.length === 0) return undefined;
      const answer = { role: 'assistant', content: [{ type: 'text', text: text.join('') }] };
      await followed.record({ history: [...history, answer], model: target });
      return undefined;
    },
    async processAPIError({ error, state, retryCount, abortSignal: signal }) {
      const { followed, target: model } = (state.longhaul ?? {}) as Partial<RequestState>;
      if (!followed || !model || retryCount > 0) return undefined;
      return (await followed.reportFailure({ error, model, signal })) ? { retry: true } : undefined;
    },
    recallTool: {
      id: 'recall',
      description: recallDefinition.description,
      inputSchema: z.object({
        handle: z.string().optional(),
        page: z.number().optional(),
        query: z.string().optional(),
      }),
      async execute(input, context) {
        const { requestContext, agent } = (context ?? {}) as {
          readonly requestContext?: ProcessorCall['requestContext'];
          readonly agent?: { readonly threadId?: string };
        };
        const { session } = await threadOf(agent?.threadId ?? threadIn(requestContext));
        return await recallFor(session).run({ arguments: JSON.stringify(input) });
      },
    },
  };
}

/** A tool, for its tokens. */
function definitionOf([name, tool]: readonly [string, unknown]): ToolDefinition {
  const { description, inputSchema, parameters } = isObject(tool) ? tool : {};
  return { name, description: String(description ?? ''), inputSchema: jsonSchemaOf(inputSchema ?? parameters) };
}

/** Mastra's tools have schemas of Zod or of JSON, some of them wrapped. One that cannot be read is not counted. */
function jsonSchemaOf(schema: unknown): JsonObject {
  try {
    if (schema instanceof z.ZodType) return z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonObject;
    const inner = isObject(schema) && isObject(schema.jsonSchema) ? schema.jsonSchema : schema;
    return JSON.parse(JSON.stringify(isObject(inner) ? inner : {})) as JsonObject;
  } catch {
    return {};
  }
}

/** What the hooks of one request share. */
interface RequestState {
  readonly followed: HostHistory<HostMessage>;
  readonly history: readonly HostMessage[];
  readonly target: TargetModel;
}

/** The thread of a request, from the memory that Mastra puts into its context. */
function threadIn(context: ProcessorCall['requestContext']): string | undefined {
  const memory = context?.get('MastraMemory');
  const thread = isObject(memory) && isObject(memory.thread) ? memory.thread.id : context?.get('mastra__threadId');
  return typeof thread === 'string' ? thread : undefined;
}

/** Mastra stamps parts with the time at which it read them; the stamp is not sent. */
function withoutStamp(message: HostMessage): HostMessage {
  return JSON.parse(
    JSON.stringify(message, (key, value: unknown) =>
      key === 'mastra' && isObject(value) && 'createdAt' in value ? undefined : value,
    ),
  ) as HostMessage;
}

/** Prompts of version 2 have the data of a file without a tag. */
function untagged(message: HostMessage): HostMessage {
  if (!Array.isArray(message.content)) return message;
  const content = message.content.map((part: { readonly type: string; readonly data?: unknown }) =>
    part.type === 'file' && isObject(part.data) ? { ...part, data: part.data.data ?? part.data.url } : part,
  );
  return { ...message, content };
}

function usageIn(finish: unknown): Usage | undefined {
  const output = isObject(finish) ? finish.output : undefined;
  const usage = isObject(output) ? output.usage : undefined;
  if (!isObject(usage)) return undefined;
  const cacheRead = Number(usage.cachedInputTokens ?? 0);
  const cacheWrite = Number(usage.cacheCreationInputTokens ?? 0);
  const input = Math.max(0, Number(usage.inputTokens ?? 0) - cacheRead - cacheWrite);
  return { input, output: Number(usage.outputTokens ?? 0), cacheRead, cacheWrite };
}
