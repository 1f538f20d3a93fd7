/**
 * AI SDK: a middleware and a recall tool for its loops, and any of its language models as a model of Longhaul.
 *
 * @module
 */
import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Middleware,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { z } from 'zod';
import { LonghaulError } from '../errors.ts';
import { type Dialect, type JsonObject, type Part, system, type ToolCallPart } from '../message/index.ts';
import { type Model, type ModelEntry, type ModelRequest, modelInfo, type Usage } from '../models/index.ts';
import { answerOf, brokenEnd, effortOf, tagOf, withBreakpoints } from '../models/internal.ts';
import {
  aiSdkFormat,
  aiSdkModel,
  type HostMessage,
  markedPrompt,
  promptOf,
  providerOptionsOf,
} from './ai-sdk-messages.ts';
import { HostHistory, type HostOptions, type HostSession, recallFor } from './host-history.ts';

const reasons = { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls', 'content-filter': 'refused' } as const;

/**
 * Wraps an AI SDK language model as a `Model`; `extra` describes models that are not in the catalog, as for
 * `modelInfo`. Models of version 2 and 3 of the SDK's contract are converted by the package `ai`, which must be installed
 * for them.
 *
 * @example
 * import { anthropic } from '@ai-sdk/anthropic';
 * const model = fromAiSdk(anthropic('claude-opus-5'));
 */
export function fromAiSdk(
  model: LanguageModelV2 | LanguageModelV3 | LanguageModelV4,
  { extra = [] }: { extra?: readonly ModelEntry[] } = {},
): Model {
  const { provider: maker, modelId: name, specificationVersion: version } = model;
  if (!['v2', 'v3', 'v4'].includes(version)) {
    const message = `The model ${name} implements version ${version} of the AI SDK contract; v2, v3 and v4 are supported.`;
    throw new LonghaulError({ code: 'unsupported-model', message, hint: 'Install a newer release of its package.' });
  }
  const [provider = maker] = maker.split('.');
  const known = modelInfo({ provider, name, extra });
  const info: Model['info'] = { ...known, quirks: [...known.quirks, 'noProviderCompaction'] };
  const isSpoken = (each: Dialect) => each !== 'openai-responses' || maker.endsWith('.responses');
  const dialect = info.dialects.find(isSpoken) ?? 'openai-chat';
  return {
    id: { provider, name },
    dialect,
    info,
    async *stream(request) {
      const said: StreamPiece[] = [];
      const message = () => {
        const groups = Map.groupBy(said, (piece) => ('id' in piece ? piece.type[0] + piece.id : piece.toolCallId));
        const parts = [...groups.values()].map((pieces) => partOf({ pieces, dialect }));
        return answerOf({ parts: parts.filter((part) => part.type !== 'text' || part.text), wire: { dialect } });
      };
      const broken = (error: unknown) => brokenEnd({ ...request, error, message: message(), dialect, provider });
      try {
        const current = model.specificationVersion === 'v4' ? model : await converted(model);
        const { stream } = await current.doStream(callOf({ request, info, dialect }));
        for await (const chunk of stream) {
          if (/^(tool-call$|text-|reasoning-(?!file))/.test(chunk.type)) said.push(chunk as StreamPiece);
          if (chunk.type === 'text-delta') yield { type: 'text', delta: chunk.delta };
          if (chunk.type === 'reasoning-delta') yield { type: 'thinking', delta: chunk.delta };
          if (chunk.type === 'tool-input-start') yield { type: 'tool_call_start', id: chunk.id, name: chunk.toolName };
          if (chunk.type === 'tool-input-delta') yield { type: 'tool_call_delta', id: chunk.id, delta: chunk.delta };
          if (chunk.type === 'tool-call')
            yield { type: 'tool_call', call: partOf({ pieces: [chunk], dialect }) as ToolCallPart };
          if (chunk.type === 'error') return yield broken(chunk.error);
          if (chunk.type !== 'finish') continue;
          const usage = usageOf(chunk.usage);
          if (usage) yield { type: 'usage', usage };
          const { unified, raw } = chunk.finishReason;
          if (unified === 'error' || unified === 'interrupted') break;
          const reason = raw === 'pause_turn' ? 'paused' : unified === 'other' ? 'stop' : reasons[unified];
          return yield { type: 'end', reason, message: message() };
        }
        // The error of a broken connection: a stream that just ends reports nothing.
        yield broken(new TypeError('terminated'));
      } catch (error) {
        yield broken(error);
      }
    },
  };
}

/** The SDK's own converter: a model that is wrapped has its current version. */
async function converted(model: LanguageModelV2 | LanguageModelV3): Promise<LanguageModelV4> {
  const { wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: [] });
}

type Growing = `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`;
type StreamPiece = Extract<LanguageModelV4StreamPart, { type: Growing | 'tool-call' }>;

/** Signatures get the names that the dialect rules look for; all other provider metadata is returned unchanged. */
function partOf({ pieces, dialect }: { readonly pieces: readonly StreamPiece[]; readonly dialect: Dialect }): Part {
  const metadata: NonNullable<StreamPiece['providerMetadata']> = {};
  for (const { providerMetadata = {} } of pieces)
    for (const [name, members] of Object.entries(providerMetadata)) metadata[name] = { ...metadata[name], ...members };
  const proofs = Object.assign({}, ...Object.values(metadata));
  const { signature = proofs.thoughtSignature, redactedData: encrypted = proofs.reasoningEncryptedContent } = proofs;
  const wire = { dialect, metadata, form: 'reasoning_content' };
  const signed = { origin: 'model', ...(signature && { signature }), wire } as const;
  const call = pieces.find((piece) => piece.type === 'tool-call');
  if (call) return { type: 'tool_call', id: call.toolCallId, name: call.toolName, arguments: call.input, ...signed };
  const text = pieces.map((piece) => ('delta' in piece ? piece.delta : '')).join('');
  if (pieces[0]?.type.startsWith('text')) return { type: 'text', text, ...signed };
  return { type: 'thinking', text, ...signed, ...(encrypted && { encrypted }) };
}

function callOf({ request, info, dialect }: Pick<Model, 'info' | 'dialect'> & { readonly request: ModelRequest }) {
  const { head, items, tools, options, signal } = withBreakpoints({ request, dialect, rules: info.cache });
  const { maxOutputTokens, temperature, stop, toolChoice: choice, thinking, cacheKey } = options;
  const blockBinding = { prefixMismatchBehavior: 'drop_block' };
  const moved = options.rebindsThinking && info.quirks.includes('bindsThinking');
  return {
    prompt: promptOf({ head, items, dialect }),
    maxOutputTokens,
    temperature,
    stopSequences: stop && [...stop],
    abortSignal: signal,
    headers: tagOf(options),
    tools: tools.map(({ cache, ...tool }) => ({ type: 'function', ...tool, ...providerOptionsOf({ cache }) })),
    toolChoice: typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : choice && { type: choice },
    reasoning: thinking === 'off' ? 'none' : effortOf({ ...info.capabilities, thinking }),
    providerOptions: {
      // Thinking that was moved is dropped, not rejected.
      anthropic: moved ? { thinking: { type: 'adaptive', blockBinding } } : {},
      // The log is ours, so OpenAI is not asked to store the response; AI SDK then requests encrypted reasoning.
      openai: dialect === 'openai-responses' ? { store: false, promptCacheKey: cacheKey } : {},
    },
  } as LanguageModelV4CallOptions;
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const { total = 0, noCache: input = total, cacheRead = 0, cacheWrite = 0 } = inputTokens;
  const { total: output = 0, reasoning = 0 } = outputTokens;
  return total + output > 0 ? { input, output, cacheRead, cacheWrite, reasoning } : undefined;
}

/**
 * A middleware that keeps every call of a model inside its window. The SDK's loop keeps its full history; what is sent is
 * the session's view of it: the same messages until something has to be compacted. A request that the provider rejects
 * as too long is sent once more, smaller. Each conversation has a session, and with it a middleware of its own.
 *
 * @example
 * import { anthropic } from '@ai-sdk/anthropic';
 * import { generateText, wrapLanguageModel } from 'ai';
 * const session = await (await createLonghaul({ dir: '.longhaul' })).open('port-billing');
 * const model = wrapLanguageModel({ model: anthropic('claude-opus-5'), middleware: longhaul(session) });
 * await generateText({ model, prompt: 'Fix the failing test', tools: { recall: recallTool(session) } });
 */
export function longhaul(session: HostSession, { window, model: fixed }: HostOptions = {}): LanguageModelV4Middleware {
  const followed = new HostHistory<HostMessage>({ session, format: aiSdkFormat });

  function fitted<T>({ params, model, send }: FittedCall<T>): Promise<T> {
    const target = fixed ?? aiSdkModel({ model, window });
    const rules = params.prompt.filter(({ role }) => role === 'system');
    return followed.fit({
      history: params.prompt,
      model: target,
      head: rules.map(({ content }) => system(String(content))),
      tools: params.tools?.flatMap((tool) => (tool.type === 'function' ? [definitionOf(tool)] : [])),
      signal: params.abortSignal,
      send: (view) =>
        send({ ...params, prompt: markedPrompt({ rules, view, model: target }) as LanguageModelV4Prompt }),
    });
  }

  /** Records usage, and the answer where it ends the run: otherwise the next prompt contains it. */
  async function finished({ params, model, usage, text, isLast }: FinishedCall): Promise<void> {
    await followed.report(usageOf(usage));
    if (!isLast || text === '') return;
    const answer = { role: 'assistant', content: [{ type: 'text', text }] };
    await followed.record({ history: [...params.prompt, answer], model: fixed ?? aiSdkModel({ model, window }) });
  }

  return {
    specificationVersion: 'v4',
    async wrapGenerate({ params, model }) {
      const result = await fitted({ params, model, send: (view) => model.doGenerate(view) });
      const { content, usage, finishReason } = result;
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await finished({ params, model, usage, text, isLast: finishReason.unified !== 'tool-calls' });
      return result;
    },
    async wrapStream({ params, model }) {
      const result = await fitted({ params, model, send: (view) => model.doStream(view) });
      let text = '';
      const watch = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        async transform(chunk, controller) {
          if (chunk.type === 'text-delta') text += chunk.delta;
          if (chunk.type === 'finish') {
            const { usage, finishReason } = chunk;
            await finished({ params, model, usage, text, isLast: finishReason.unified !== 'tool-calls' });
          }
          controller.enqueue(chunk);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(watch) };
    },
  };
}

interface HostCall {
  readonly params: LanguageModelV4CallOptions;
  readonly model: LanguageModelV4;
}

interface FittedCall<T> extends HostCall {
  readonly send: (view: LanguageModelV4CallOptions) => PromiseLike<T>;
}

interface FinishedCall extends HostCall {
  readonly usage: LanguageModelV4Usage;
  readonly text: string;
  readonly isLast: boolean;
}

function definitionOf({
  name,
  description,
  inputSchema,
}: {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
}) {
  return { name, ...(description !== undefined && { description }), inputSchema: inputSchema as JsonObject };
}

/**
 * The tool by which the model reads what is no longer sent: exact text by handle, or a search.
 *
 * @example
 * const tools = { recall: recallTool(session) };
 */
export function recallTool(session: HostSession) {
  const { definition, run } = recallFor(session);
  return {
    description: definition.description ?? '',
    inputSchema: z.object({
      handle: z.string().optional().describe('What to read exactly: @12, @12.2 (part), @12:40-80 (lines).'),
      page: z.number().int().min(1).optional().describe('Which part of a long text; 1 is the first.'),
      query: z.string().optional().describe('Words, names, paths or numbers to search for.'),
    }),
    execute: (input: object) => run({ arguments: JSON.stringify(input) }),
  };
}
