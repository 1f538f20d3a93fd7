/**
 * AI SDK: uses any of its language models as a model of Longhaul.
 *
 * @module
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { LonghaulError } from '../errors.ts';
import type { Dialect, Part, ToolCallPart } from '../message/index.ts';
import { type Model, type ModelEntry, type ModelRequest, modelInfo } from '../models/index.ts';
import { answerOf, brokenEnd, effortOf, tagOf, withBreakpoints } from '../models/internal.ts';
import { promptOf, providerOptionsOf } from './ai-sdk-prompt.ts';

const reasons = { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls', 'content-filter': 'refused' } as const;

/**
 * Wraps an AI SDK language model as a `Model`; `extra` describes models that are not in the catalog, as for
 * `modelInfo`.
 *
 * @example
 * import { anthropic } from '@ai-sdk/anthropic';
 * const model = fromAiSdk(anthropic('claude-opus-5'));
 */
export function fromAiSdk(model: LanguageModelV4, { extra = [] }: { extra?: readonly ModelEntry[] } = {}): Model {
  const { provider: maker, modelId: name, specificationVersion: version } = model;
  if (version !== 'v4') {
    const message = `The model ${name} implements version ${version} of the AI SDK contract; only v4 is supported.`;
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
        const { stream } = await model.doStream(callOf({ request, info, dialect }));
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
          const { total = 0, noCache: input = total, cacheRead = 0, cacheWrite = 0 } = chunk.usage.inputTokens;
          const { total: output = 0, reasoning = 0 } = chunk.usage.outputTokens;
          if (total + output > 0) yield { type: 'usage', usage: { input, output, cacheRead, cacheWrite, reasoning } };
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

type Growing = `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`;
type StreamPiece = Extract<LanguageModelV4StreamPart, { type: Growing | 'tool-call' }>;

/** Signatures get the names that the dialect rules look for; all other provider metadata is returned unchanged. */
function partOf({ pieces, dialect }: { readonly pieces: readonly StreamPiece[]; readonly dialect: Dialect }): Part {
  const metadata: NonNullable<StreamPiece['providerMetadata']> = {};
  for (const { providerMetadata = {} } of pieces)
    for (const [name, members] of Object.entries(providerMetadata)) metadata[name] = { ...metadata[name], ...members };
  const proofs = Object.assign({}, ...Object.values(metadata));
  const { signature = proofs.thoughtSignature, redactedData: encrypted = proofs.reasoningEncryptedContent } = proofs;
  const wire = { dialect, beside: metadata, form: 'reasoning_content' };
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
