import { type Json, type JsonObject, writeRequest } from '../../../message/index.ts';
import type { ToolChoice } from '../../model.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { effortOf } from './thinking.ts';

const dialect = 'openai-chat';

/** OpenAI's limit; compatible servers have the same or none. */
const mostStops = 4;

/** The body of `POST /v1/chat/completions`. */
export function chatBody({ model, info, request }: BodyInput): JsonObject {
  const { options } = request;
  const effort = reasoningOf({ info, request });
  const isThinking = effort !== undefined && effort !== 'none';
  const choice = choiceOf({ info, request, isThinking });
  const temperature = temperatureOf({ info, request, isThinking });
  const limit = info.quirks.includes('legacyMaxTokens') ? 'max_tokens' : 'max_completion_tokens';
  const user = options.metadata?.user_id;
  return {
    model,
    ...writeRequest({ dialect, conversation: conversationOf({ dialect, info, request }) }),
    // Servers know their own limit; a guess of ours would only cut answers short.
    ...((options.maxOutputTokens !== undefined || info.known) && { [limit]: outputLimit({ info, request }) }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(choice !== undefined && { tool_choice: writeChoice(choice) }),
    ...(temperature !== undefined && { temperature }),
    ...(options.stop && options.stop.length > 0 && { stop: options.stop.slice(0, mostStops) }),
    // `metadata` is accepted only together with `store`, and nothing is to be stored.
    ...(typeof user === 'string' && { user }),
    // Those who imitate the dialect may refuse a member they do not know.
    ...(options.cacheKey !== undefined && info.provider === 'openai' && { prompt_cache_key: options.cacheKey }),
    // Claude keeps nothing unless asked; OpenRouter takes one mark for the whole, which moves with the conversation.
    ...(info.provider === 'openrouter' && model.startsWith('anthropic/') && { cache_control: { type: 'ephemeral' } }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function reasoningOf({ info, request }: Pick<BodyInput, 'info' | 'request'>): string | undefined {
  const { thinking, efforts } = info.capabilities;
  if (thinking === 'none' && info.known) return undefined;
  // OpenAI's rule for its own endpoint: others bring such a request to Responses.
  const isRefused = request.tools.length > 0 && info.quirks.includes('noChatToolsWithReasoning');
  return isRefused && info.provider === 'openai' ? 'none' : effortOf({ thinking: request.options.thinking, efforts });
}

function writeChoice(choice: ToolChoice): Json {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}
