import { isObject } from '../../../json.ts';
import { type JsonObject, type Message, writeRequest } from '../../../message/index.ts';
import { withBreakpoints } from '../../breakpoints.ts';
import type { ToolChoice } from '../../model.ts';
import { askForCompaction } from '../../provider-compaction.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './body.ts';
import { budgetOf, effortOf } from './thinking.ts';

const dialect = 'anthropic';

/** `claude-sonnet-4-5[1m]`: a mark for clients, which the provider does not know. */
const longWindow = /\[1m\]\s*$/i;

/** "Valid values are `low`, `medium`, `high`, `xhigh`, or `max`": for models that the tables do not know. */
const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'];

/** "Input should be greater than or equal to 1024". */
const leastBudget = 1024;

/** The body of `POST /v1/messages`. */
export function anthropicBody({ model, info, request: asked }: BodyInput): JsonObject {
  const request = withBreakpoints({ request: asked, dialect, rules: info.cache });
  const { options } = request;
  const { thinking, output_config, max_tokens } = thinkingOf({ info, request });
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const choice = choiceOf({ info, request, isThinking });
  const temperature = temperatureOf({ info, request, isThinking });
  const user = options.metadata?.user_id;
  // Who turns thinking off cannot say what becomes of thoughts that moved, and takes them out.
  const items = rebinds({ info, request }) && !isThinking ? request.items.map(withoutThoughts) : request.items;
  return {
    model: model.replace(longWindow, ''),
    max_tokens,
    ...writeRequest({ dialect, conversation: conversationOf({ dialect, info, request: { ...request, items } }) }),
    ...askForCompaction({ dialect, info, request }).body,
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

function thinkingOf({ info, request }: Pick<BodyInput, 'info' | 'request'>): Asked {
  const { thinking } = request.options;
  const limit = outputLimit({ info, request });
  // What is not in the tables is newer than they are, and newer models decide themselves.
  const kind = info.known ? info.capabilities.thinking : 'adaptive';
  const binding = rebinds({ info, request })
    ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    : undefined;
  if (kind === 'none') return { max_tokens: limit };
  if (thinking === 'off' && !info.quirks.includes('alwaysThinks'))
    return { thinking: { type: 'disabled' }, max_tokens: limit };
  const known = info.capabilities.efforts;
  const effort = effortOf({ thinking, efforts: known.length > 0 ? known : allEfforts });
  const output = effort !== undefined && { output_config: { effort } };
  // Models that bind thoughts think by themselves; to say so changes nothing else.
  if (thinking === undefined || thinking === 'off')
    return { max_tokens: limit, ...output, ...(binding && { thinking: { type: 'adaptive', ...binding } }) };
  // Newer models leave the text out unless asked; nobody can follow a run whose thoughts are blank.
  if (kind === 'adaptive')
    return { thinking: { type: 'adaptive', display: 'summarized', ...binding }, ...output, max_tokens: limit };
  // The budget is part of the output limit and must stay below it.
  const asked = budgetOf(thinking) ?? leastBudget;
  const most = request.options.maxOutputTokens ?? Math.min(info.maxOutput, asked + limit);
  const budget = Math.min(asked, most - 1);
  if (budget < leastBudget) return { max_tokens: most };
  return { thinking: { type: 'enabled', budget_tokens: budget, ...binding }, max_tokens: most };
}

function rebinds({ info, request }: Pick<BodyInput, 'info' | 'request'>): boolean {
  return request.options.rebindsThinking === true && (!info.known || info.quirks.includes('bindsThinking'));
}

function withoutThoughts(message: Message): Message {
  return { ...message, parts: message.parts.filter((part) => part.type !== 'thinking') };
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/**
 * What a request asks for that is not yet for everybody: thoughts that moved ("send the beta header", says the guide on
 * preserved thinking), and the long window that Claude Code's names ask for.
 */
export function anthropicHeaders({
  body,
  model,
}: {
  readonly body: JsonObject;
  readonly model: string;
}): Readonly<Record<string, string>> {
  const isBound = isObject(body.thinking) && body.thinking.block_binding !== undefined;
  const betas = [
    ...(isBound ? ['thinking-binding-controls-2026-08-01'] : []),
    ...(longWindow.test(model) ? ['context-1m-2025-08-07'] : []),
  ];
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') };
}
