import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import { codecs, type Message, type Part, writeRequest } from '../../../message/index.ts';
import type { ModelEvent, ToolChoice } from '../../model.ts';
import { readUsage } from '../../usage.ts';
import { answerOf, type Decoder, type Ending } from './decoder.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './request-body.ts';
import { budgetOf, effortOf } from './thinking.ts';

const dialect = 'gemini';

const refusals = new Set([
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
]);

/** The model wrote a call that its own server could not read; another try may go better. */
const broken = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ...['MISSING_THOUGHT_SIGNATURE', 'NO_IMAGE', 'IMAGE_OTHER', 'OTHER'],
]);

/** The chunks of `streamGenerateContent`. `newId` names calls that came without an id: the codec's own depend on the place. */
export function createGeminiDecoder({ newId }: { readonly newId: () => string }): Decoder {
  const parts: JsonObject[] = [];
  const ids = new Map<JsonObject, string>();
  let finish: string | undefined;
  let finishMessage: string | undefined;
  let block: string | undefined;
  let error: JsonObject | undefined;
  let counted = '';

  return {
    read(event) {
      if (isObject(event.error)) {
        error = event;
        return [];
      }
      if (isObject(event.promptFeedback) && typeof event.promptFeedback.blockReason === 'string')
        block = event.promptFeedback.blockReason;
      const candidate = isArray(event.candidates) ? event.candidates[0] : undefined;
      const events = isObject(candidate) ? readCandidate(candidate) : [];
      return [...events, ...count(event.usageMetadata)];
    },
    // The last chunk is not marked: counts may follow the reason.
    isOver: () => error !== undefined,
    ending,
    message: () => decode(parts),
  };

  function readCandidate({ content, finishReason, finishMessage: why }: JsonObject): ModelEvent[] {
    const more = isObject(content) && isArray(content.parts) ? content.parts.filter(isObject) : [];
    const events = more.flatMap(readPart);
    if (typeof finishReason === 'string') finish = finishReason;
    if (typeof why === 'string') finishMessage = why;
    return events;
  }

  function readPart(part: JsonObject): ModelEvent[] {
    if (typeof part.text === 'string') {
      const last = parts.at(-1);
      // A signature seals the part it came with: only unsigned texts of one kind flow together.
      if (last && isPlain(last) && isPlain(part) && last.thought === part.thought)
        parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
      else if (part.text !== '' || part.thoughtSignature !== undefined) parts.push(part);
      return part.text === '' ? [] : [{ type: part.thought === true ? 'thinking' : 'text', delta: part.text }];
    }
    parts.push(part);
    if (!isObject(part.functionCall)) return [];
    if (part.functionCall.id === undefined) ids.set(part, newId());
    const [call] = decode([part]).parts;
    if (call?.type !== 'tool_call') return [];
    const { id, name } = call;
    return [
      { type: 'tool_call_start', id, name },
      { type: 'tool_call_delta', id, delta: call.arguments },
      { type: 'tool_call', call },
    ];
  }

  function count(value: Json | undefined): ModelEvent[] {
    const usage = readUsage({ dialect, value });
    const said = JSON.stringify(usage);
    if (!usage || said === counted) return [];
    counted = said;
    return [{ type: 'usage', usage }];
  }

  function ending(): Ending | undefined {
    if (error) return { reason: 'failed', error };
    if (block !== undefined && finish === undefined) return refused(`The prompt was blocked (${block}).`);
    if (finish === undefined || finish === 'FINISH_REASON_UNSPECIFIED') return undefined;
    if (finish === 'MAX_TOKENS' || finish === 'CONTINUATION') return { reason: 'length' };
    if (refusals.has(finish)) return refused(`The answer was blocked (${finish}).`);
    if (broken.has(finish)) {
      const why = finishMessage === undefined ? '' : `: ${finishMessage.slice(0, 300)}`;
      const message = `The model's answer could not be read by its own server (${finish})${why}.`;
      return { reason: 'failed', failure: { kind: 'unknown', retryable: true, message } };
    }
    return { reason: parts.some((part) => isObject(part.functionCall)) ? 'tool_calls' : 'stop' };
  }

  function decode(some: readonly JsonObject[]): Message {
    const [message = { role: 'assistant', parts: [] }] = codecs[dialect].decode([{ role: 'model', parts: some }]);
    const named = message.parts.map((part, at) => withId(part, some[at]));
    return answerOf({ wire: message.wire, parts: named });
  }

  function withId(part: Part, from: JsonObject | undefined): Part {
    const id = from && ids.get(from);
    return part.type === 'tool_call' && id !== undefined ? { ...part, id } : part;
  }
}

function isPlain(part: JsonObject): boolean {
  return typeof part.text === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought');
}

function refused(message: string): Ending {
  return { reason: 'refused', failure: { kind: 'refused', retryable: false, message } };
}

/** "Up to 5 character sequences". */
const mostStops = 5;

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

/** What every model of this kind takes; `minimal` is refused by some. */
const defaultLevels = ['low', 'medium', 'high'];

/** "thinking_budget": 2.5 Pro takes 128 to 32,768, Flash up to 24,576, Flash-Lite from 512 on. These hold for all. */
const budgets = { off: 128, least: 512, most: 24_576 };

/** The body of `POST /v1beta/models/MODEL:streamGenerateContent`; the model is part of the path. */
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
  // Thinking cannot be turned off for these models, so the minimum is used.
  const thinkingLevel = effortOf({ thinking, efforts: efforts.length > 0 ? efforts : defaultLevels });
  return { ...(thinking !== 'off' && { includeThoughts: true }), thinkingLevel };
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  return { mode: modes[choice] };
}
