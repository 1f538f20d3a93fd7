import type { JsonObject } from '../../../message/index.ts';
import { writeRequest } from '../../../message/index.ts';
import type { ToolChoice } from '../../model.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { budgetOf, effortOf } from './thinking.ts';

/** "Up to 5 character sequences". */
const mostStops = 5;

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

/** What `thinkingLevel` can say; efforts above and below become the nearest. */
const levels: Readonly<Record<string, string>> = {
  ...{ none: 'minimal', minimal: 'minimal', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' },
};

/** The body of `POST /v1beta/models/MODEL:streamGenerateContent`; the model stands in the path. */
export function geminiBody({ info, request }: BodyInput): JsonObject {
  const { options } = request;
  const thinkingConfig = thinkingOf({ info, request });
  const isThinking = thinkingConfig?.includeThoughts === true;
  const choice = choiceOf({ info, request, isThinking });
  const temperature = temperatureOf({ info, request, isThinking });
  const generationConfig = {
    maxOutputTokens: outputLimit({ info, request }),
    ...(thinkingConfig && { thinkingConfig }),
    ...(temperature !== undefined && { temperature }),
    ...(options.stop && options.stop.length > 0 && { stopSequences: options.stop.slice(0, mostStops) }),
  };
  return {
    ...writeRequest({ dialect: 'gemini', conversation: conversationOf({ request }) }),
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: writeChoice(choice) } }),
    generationConfig,
  };
}

function thinkingOf({ info, request }: Pick<BodyInput, 'info' | 'request'>): JsonObject | undefined {
  const { thinking } = request.options;
  if (thinking === undefined || (info.known && info.capabilities.thinking === 'none')) return undefined;
  const isManual = info.capabilities.thinking === 'manual';
  // Newer models cannot be told not to think at all; the least is what comes nearest.
  if (thinking === 'off') return isManual ? { thinkingBudget: 0 } : { thinkingLevel: 'minimal' };
  if (isManual) return { includeThoughts: true, thinkingBudget: budgetOf(thinking) };
  return { includeThoughts: true, thinkingLevel: levels[effortOf(thinking) ?? ''] ?? 'high' };
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  return { mode: modes[choice] };
}
