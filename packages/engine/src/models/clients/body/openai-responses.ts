import { type Json, type JsonObject, writeRequest } from '../../../message/index.ts';
import type { ToolChoice } from '../../model.ts';
import { askForCompaction } from '../../provider-compaction.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { effortOf } from './thinking.ts';

const dialect = 'openai-responses';

/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16". */
const leastOutput = 16;

/** The body of `POST /v1/responses`. Nothing is stored there: the log is here, and reasoning comes sealed. */
export function responsesBody({ model, info, request }: BodyInput): JsonObject {
  const { options } = request;
  // "Encrypted content is not supported with this model" is what models without reasoning answer.
  const mayReason = !info.known || info.capabilities.thinking !== 'none';
  const { thinking } = options;
  const effort = mayReason ? effortOf({ thinking, efforts: info.capabilities.efforts }) : undefined;
  const isThinking = effort !== undefined && effort !== 'none';
  const choice = choiceOf({ info, request, isThinking });
  const temperature = temperatureOf({ info, request, isThinking });
  return {
    model,
    ...writeRequest({ dialect, conversation: conversationOf({ dialect, info, request }) }),
    max_output_tokens: Math.max(leastOutput, outputLimit({ info, request })),
    ...(effort !== undefined && {
      reasoning: { effort, ...(thinking !== 'off' && isThinking && { summary: 'auto' }) },
    }),
    ...(choice !== undefined && { tool_choice: writeChoice(choice) }),
    ...(temperature !== undefined && { temperature }),
    ...(options.metadata && { metadata: texts(options.metadata) }),
    // "Used by OpenAI to cache responses for similar requests": one session, one key.
    ...(options.cacheKey !== undefined && { prompt_cache_key: options.cacheKey }),
    ...askForCompaction({ dialect, info, request }).body,
    store: false,
    ...(mayReason && { include: ['reasoning.encrypted_content'] }),
    stream: true,
  };
}

/** "Keys are strings with a maximum length of 64 characters. Values are strings with a maximum length of 512." */
function texts(metadata: JsonObject): JsonObject {
  const entries = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries
      .slice(0, 16)
      .map(([key, value]) => [
        key.slice(0, 64),
        (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 512),
      ]),
  );
}

function writeChoice(choice: ToolChoice): Json {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}
