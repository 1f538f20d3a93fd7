import { type JsonObject, writeRequest } from '../../../message/index.ts';
import type { ToolChoice } from '../../model.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { budgetOf, effortOf } from './thinking.ts';

const dialect = 'gemini';

/** "Up to 5 character sequences". */
const mostStops = 5;

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

/** What every model of this kind takes; `minimal` is refused by some. */
const usualLevels = ['low', 'medium', 'high'];

/** "thinking_budget": 2.5 Pro takes 128 to 32,768, Flash up to 24,576, Flash-Lite from 512 on. These hold for all. */
const budgets = { off: 128, least: 512, most: 24_576 };

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
    ...writeRequest({ dialect, conversation: conversationOf({ dialect, info, request }) }),
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: writeChoice(choice) } }),
    generationConfig,
  };
}

function thinkingOf({ info, request }: Pick<BodyInput, 'info' | 'request'>): JsonObject | undefined {
  const { thinking } = request.options;
  if (thinking === undefined || (info.known && info.capabilities.thinking === 'none')) return undefined;
  const { efforts, thinking: kind } = info.capabilities;
  if (kind === 'manual') {
    if (thinking === 'off') return { thinkingBudget: info.quirks.includes('alwaysThinks') ? budgets.off : 0 };
    const budget = budgetOf(thinking) ?? budgets.least;
    return { includeThoughts: true, thinkingBudget: Math.min(budgets.most, Math.max(budgets.least, budget)) };
  }
  // These cannot be told not to think at all; the least is what comes nearest.
  const thinkingLevel = effortOf({ thinking, efforts: efforts.length > 0 ? efforts : usualLevels });
  return { ...(thinking !== 'off' && { includeThoughts: true }), thinkingLevel };
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  return { mode: modes[choice] };
}
