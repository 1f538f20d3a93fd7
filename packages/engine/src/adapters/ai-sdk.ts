/**
 * AI SDK: any of its language model objects as a model of Longhaul.
 *
 * @module
 */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { JsonObject } from '../json.ts';
import type { Dialect, Message } from '../message/index.ts';
import {
  classifyFailure,
  isAbort,
  type Model,
  type ModelEnd,
  type ModelEntry,
  type ModelEvent,
  modelInfo,
  withBreakpoints,
} from '../models/index.ts';
import { callOf } from './ai-sdk/call.ts';
import { reasonOf, usageOf } from './ai-sdk/finish.ts';
import { isCompaction, mergeMetadata, type Piece, partOf } from './ai-sdk/proof.ts';

export interface AiSdkOptions {
  /** In whose words signatures are kept; told by the provider's name unless given. */
  readonly dialect?: Dialect;
  /** What the tables do not know of the model, as for `modelInfo`. */
  readonly extra?: readonly ModelEntry[];
  /** Options of the provider for every call, under the names that AI SDK has for them. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/**
 * Makes a language model object of AI SDK a `Model`. Reasoning keeps its signatures in the words of the provider, so that
 * a session can go on with a client of `longhaul/models/clients`, and the other way round.
 *
 * @example
 * import { anthropic } from '@ai-sdk/anthropic';
 * const model = fromAiSdk(anthropic('claude-opus-5'));
 */
export function fromAiSdk(
  model: LanguageModelV4 | LanguageModelV3 | LanguageModelV2,
  { dialect = dialectOf(model.provider), extra = [], providerOptions = {} }: AiSdkOptions = {},
): Model {
  const [provider = model.provider] = model.provider.split('.');
  const info = modelInfo({ provider, name: model.modelId, extra });
  return {
    id: { provider, name: model.modelId },
    dialect,
    info,
    async *stream(request) {
      const pieces: Pieces = new Map();
      const message = (): Message => ({
        role: 'assistant',
        parts: [...pieces.values()].flatMap((piece) => partOf({ dialect, piece })),
        wire: { dialect },
      });
      const failed = (error: unknown): ModelEnd => {
        if (request.signal?.aborted || isAbort(error)) return { type: 'end', reason: 'aborted', message: message() };
        return endOf({ message: message(), failure: classifyFailure({ dialect, provider, error }) });
      };
      try {
        const marked = withBreakpoints({ request, dialect, rules: info.cache });
        const call = callOf({ request: marked, dialect, version: model.specificationVersion, providerOptions });
        const { stream } = await (model as LanguageModelV4).doStream(call);
        for await (const part of stream) {
          if (part.type === 'error') return yield failed(part.error);
          if (part.type !== 'finish') {
            yield* take({ pieces, part });
            continue;
          }
          const usage = usageOf({ dialect, usage: part.usage });
          if (usage) yield { type: 'usage', usage };
          const reason = reasonOf(part.finishReason);
          if (reason === 'failed') return yield failed(new Error(`The provider ended the answer: ${said(part)}.`));
          return yield { type: 'end', reason, message: message() };
        }
        // The word by which a broken connection is known: a stream that just stops says nothing.
        yield failed(new TypeError('terminated'));
      } catch (error) {
        yield failed(error);
      }
    },
  };
}

function dialectOf(provider: string): Dialect {
  if (/anthropic/.test(provider)) return 'anthropic';
  if (/\.responses$/.test(provider)) return 'openai-responses';
  return /google|vertex/.test(provider) ? 'gemini' : 'openai-chat';
}

function endOf({ message, failure }: Required<Pick<ModelEnd, 'message' | 'failure'>>): ModelEnd {
  return { type: 'end', reason: failure?.kind === 'refused' ? 'refused' : 'failed', message, failure };
}

function said({ finishReason }: { readonly finishReason: { readonly raw?: string | undefined } }): string {
  return finishReason.raw ?? 'without a reason';
}

/** What was said so far, in order; a text and a piece of reasoning grow under their ids. */
type Pieces = Map<string, Piece>;

function* take({
  pieces,
  part,
}: {
  readonly pieces: Pieces;
  readonly part: LanguageModelV4StreamPart;
}): Generator<ModelEvent> {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end': {
      const type = part.type.startsWith('text') ? 'text' : 'thinking';
      // Summaries of OpenAI come as parts `ITEM:0`, `ITEM:1` of one piece of reasoning.
      const key = `${type} ${type === 'text' ? part.id : part.id.split(':')[0]}`;
      const before = pieces.get(key);
      const isNext = part.type === 'reasoning-start' && before !== undefined && before.text !== '';
      const delta = `${isNext ? '\n\n' : ''}${'delta' in part ? part.delta : ''}`;
      const piece = {
        type,
        text: (before?.text ?? '') + delta,
        metadata: mergeMetadata(before?.metadata, part),
      } as const;
      pieces.set(key, piece);
      if (delta !== '' && !isCompaction(piece)) yield { type, delta };
      return;
    }
    case 'tool-input-start':
      return yield { type: 'tool_call_start', id: part.id, name: part.toolName };
    case 'tool-input-delta':
      return yield { type: 'tool_call_delta', id: part.id, delta: part.delta };
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input: text } = part;
      pieces.set(`call ${id}`, { type: 'tool_call', id, name, text, metadata: mergeMetadata({}, part) });
      return yield { type: 'tool_call', call: { type: 'tool_call', origin: 'model', id, name, arguments: text } };
    }
    case 'custom':
      pieces.set(`custom ${pieces.size}`, { type: 'custom', text: '', metadata: mergeMetadata({}, part) });
  }
}
