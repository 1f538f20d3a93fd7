/**
 * AI SDK: any of its language model objects as a model of Longhaul.
 *
 * @module
 */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '../json.ts';
import type { Dialect, Message } from '../message/index.ts';
import {
  classifyFailure,
  isAbort,
  type Model,
  type ModelEnd,
  type ModelEntry,
  modelInfo,
  signedBy,
  withBreakpoints,
} from '../models/index.ts';
import { callOf } from './ai-sdk/call.ts';
import { reasonOf, usageOf } from './ai-sdk/finish.ts';
import { type Piece, partOf } from './ai-sdk/proof.ts';
import { take } from './ai-sdk/take.ts';

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
      const pieces = new Map<string, Piece>();
      const message = (): Message => {
        const parts = [...pieces.values()].flatMap((piece) => partOf({ dialect, piece }));
        return signedBy({ message: { role: 'assistant', parts, wire: { dialect } }, provider });
      };
      const failed = (error: unknown): ModelEnd => {
        if (request.signal?.aborted || isAbort(error)) return { type: 'end', reason: 'aborted', message: message() };
        return endOf({ message: message(), failure: classifyFailure({ dialect, provider, error }) });
      };
      try {
        const marked = withBreakpoints({ request, dialect, rules: info.cache });
        const call = callOf({ request: marked, info, dialect, version: model.specificationVersion, providerOptions });
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
