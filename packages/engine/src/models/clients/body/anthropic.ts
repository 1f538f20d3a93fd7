import type { JsonObject } from '../../../message/index.ts';
import { writeRequest } from '../../../message/index.ts';
import type { ToolChoice } from '../../model.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { budgetOf, effortOf } from './thinking.ts';

/** "Input should be greater than or equal to 1024". */
const leastBudget = 1024;

/** The body of `POST /v1/messages`. */
export function anthropicBody({ model, info, request }: BodyInput): JsonObject {
  const { options } = request;
  const { thinking, output_config, max_tokens } = thinkingOf({ model, info, request });
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const choice = choiceOf({ info, request, isThinking });
  const temperature = temperatureOf({ info, request, isThinking });
  const user = options.metadata?.user_id;
  return {
    model,
    max_tokens,
    ...writeRequest({ dialect: 'anthropic', conversation: conversationOf({ request }) }),
    ...(thinking && { thinking }),
    ...(output_config && { output_config }),
    ...(choice !== undefined && { tool_choice: writeChoice(choice) }),
    ...(temperature !== undefined && { temperature }),
    ...(options.stop && options.stop.length > 0 && { stop_sequences: options.stop }),
    // The only member that is permitted.
    ...(typeof user === 'string' && { metadata: { user_id: user } }),
    stream: true,
  };
}

interface Asked {
  readonly thinking?: JsonObject;
  readonly output_config?: JsonObject;
  readonly max_tokens: number;
}

function thinkingOf({ info, request }: BodyInput): Asked {
  const { thinking, rebindsThinking } = request.options;
  const limit = outputLimit({ info, request });
  // What is not in the tables is newer than they are, and newer models decide themselves.
  const kind = info.known ? info.capabilities.thinking : 'adaptive';
  const binding = rebindsThinking ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {};
  if (thinking === undefined || kind === 'none') return { max_tokens: limit };
  if (thinking === 'off') {
    if (info.quirks.includes('alwaysThinks')) return { max_tokens: limit };
    return { thinking: { type: 'disabled', ...binding }, max_tokens: limit };
  }
  if (kind === 'adaptive') {
    // Newer models leave the text out unless asked; nobody can follow a run whose thoughts are blank.
    const adaptive = { type: 'adaptive', display: 'summarized', ...binding };
    const effort = effortOf(thinking);
    return { thinking: adaptive, ...(effort !== undefined && { output_config: { effort } }), max_tokens: limit };
  }
  // The budget is part of the output limit and must stay below it.
  const asked = budgetOf(thinking) ?? leastBudget;
  const most = request.options.maxOutputTokens ?? Math.min(info.maxOutput, asked + limit);
  const budget = Math.min(asked, most - 1);
  if (budget < leastBudget) return { max_tokens: most };
  return { thinking: { type: 'enabled', budget_tokens: budget, ...binding }, max_tokens: most };
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}
