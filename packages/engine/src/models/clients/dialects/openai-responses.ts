import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import { codecs, type Message, type Part, type ToolCallPart, writeRequest } from '../../../message/index.ts';
import type { ModelEvent, ToolChoice } from '../../model.ts';
import { askForCompaction } from '../../provider-compaction.ts';
import { readUsage } from '../../usage.ts';
import { answerOf, type Decoder, type Ending, unbound } from './decoder.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './request-body.ts';
import { effortOf } from './thinking.ts';

interface ResponseItem {
  /** As it was when it began, then as it was when it was done. */
  value: JsonObject;
  text: string;
  thought: string;
  isWhole: boolean;
}

const dialect = 'openai-responses';

/** The events of `POST /v1/responses`: whole items come with `output_item.done`; the pieces serve those who watch. */
export function createResponsesDecoder(): Decoder {
  const items = new Map<number, ResponseItem>();
  let ending: Ending | undefined;
  let hasRefused = false;
  let isOver = false;

  return {
    read,
    ending: () => ending,
    isOver: () => isOver,
    message: () => readItems(written()),
  };

  function read(event: JsonObject): readonly ModelEvent[] {
    switch (event.type) {
      case 'response.output_item.added':
        return begin(event);
      case 'response.output_item.done':
        return finish(event);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (event.type === 'response.refusal.delta') hasRefused = true;
        return grow({ event, key: 'text', type: 'text' });
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return grow({ event, key: 'thought', type: 'thinking' });
      case 'response.reasoning_summary_part.added':
        return event.summary_index === 0
          ? []
          : grow({ event: { ...event, delta: '\n\n' }, key: 'thought', type: 'thinking' });
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return argument(event);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return close(event);
      case 'error':
        // `response.failed` follows as a rule, and says more.
        ending = { reason: 'failed', error: isObject(event.error) ? event : { error: event } };
        return [];
      default:
        return [];
    }
  }

  function begin({ output_index: index, item: value }: JsonObject): readonly ModelEvent[] {
    if (typeof index !== 'number' || !isObject(value)) return [];
    items.set(index, { value, text: '', thought: '', isWhole: false });
    const { type, call_id: id, name } = value;
    const isCall = type === 'function_call' || type === 'custom_tool_call';
    return isCall && typeof id === 'string' && typeof name === 'string' ? [{ type: 'tool_call_start', id, name }] : [];
  }

  function finish({ output_index: index, item: value }: JsonObject): readonly ModelEvent[] {
    if (typeof index !== 'number' || !isObject(value)) return [];
    const started = items.has(index) ? [] : begin({ output_index: index, item: value });
    items.set(index, { value, text: '', thought: '', isWhole: true });
    const call = callOf(value);
    return call ? [...started, { type: 'tool_call', call }] : [];
  }

  function grow({
    event: { output_index: index, delta },
    key,
    type,
  }: {
    readonly event: JsonObject;
    readonly key: 'text' | 'thought';
    readonly type: 'text' | 'thinking';
  }): readonly ModelEvent[] {
    if (typeof delta !== 'string' || delta === '') return [];
    const item = typeof index === 'number' ? items.get(index) : undefined;
    if (item) item[key] += delta;
    return [{ type, delta }];
  }

  function argument({ output_index: index, delta }: JsonObject): readonly ModelEvent[] {
    const id = typeof index === 'number' ? items.get(index)?.value.call_id : undefined;
    if (typeof id !== 'string' || typeof delta !== 'string' || delta === '') return [];
    return [{ type: 'tool_call_delta', id, delta }];
  }

  function close({ type, response }: JsonObject): readonly ModelEvent[] {
    const whole = isObject(response) ? response : {};
    // Some servers send no items of their own before the end.
    for (const [index, value] of (isArray(whole.output) ? whole.output : []).entries())
      if (isObject(value) && !items.get(index)?.isWhole)
        items.set(index, { value, text: '', thought: '', isWhole: value.status !== 'in_progress' });
    ending = endingOf({ type, response: whole });
    isOver = true;
    const usage = readUsage({ dialect, value: whole.usage });
    return usage ? [{ type: 'usage', usage }] : [];
  }

  function endingOf({ type, response }: { readonly type: Json | undefined; readonly response: JsonObject }): Ending {
    if (type === 'response.failed' || type === 'response.cancelled')
      return {
        reason: 'failed',
        error: {
          error: response.error ?? {
            message: `The response was ${type === 'response.failed' ? 'failed' : 'cancelled'}.`,
          },
        },
      };
    if (type === 'response.incomplete') {
      const reason = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined;
      return { reason: reason === 'content_filter' ? 'refused' : 'length' };
    }
    if (hasRefused) return { reason: 'refused' };
    const hasCalls = [...items.values()].some(({ value }) => callOf(value) !== undefined);
    return { reason: hasCalls ? 'tool_calls' : 'stop' };
  }

  /** The items in their order; one that broke off holds what came of its words. */
  function written(): readonly JsonObject[] {
    const ordered = [...items.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item);
    return ordered.flatMap(({ value, text, thought, isWhole }): readonly JsonObject[] => {
      if (isWhole) return [value];
      if (value.type === 'message' && text !== '')
        return [{ ...value, status: 'incomplete', content: [{ type: 'output_text', text, annotations: [] }] }];
      if (value.type === 'reasoning' && thought !== '')
        return [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }];
      return [];
    });
  }
}

/** The call that an item is, if it is one. */
function callOf(item: JsonObject): ToolCallPart | undefined {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return undefined;
  const part = codecs[dialect].decode([item])[0]?.parts[0];
  return part?.type === 'tool_call' ? part : undefined;
}

/**
 * An answer is several items here and one message to us. Each part remembers the item it came from, so that the codec
 * writes the same items again.
 */
function readItems(items: readonly JsonObject[]): Message {
  const parts = items.flatMap((item): readonly Part[] => {
    const [message] = codecs[dialect].decode([item]);
    if (!message) return [];
    if (message.wire?.form === 'item') return message.parts.map(asItem);
    if (item.type === 'reasoning') return message.parts.map((part) => (isKeepable(item) ? part : unbound(part)));
    const { fields } = message.wire ?? {};
    const [first, ...rest] = message.parts;
    return isMessage(item) && first && fields ? [inItem(first, fields), ...rest] : message.parts;
  });
  return answerOf({ parts, wire: { dialect } });
}

/** Nothing is stored there, so a thought can come back only sealed, or in plain where a server shows it. */
function isKeepable({ encrypted_content: sealed, content }: JsonObject): boolean {
  return typeof sealed === 'string' || (isArray(content) && content.length > 0);
}

function isMessage(item: JsonObject): boolean {
  return isObject(item) && (item.type === 'message' || item.type === undefined);
}

function asItem(part: Part): Part {
  return { ...part, wire: { dialect, form: 'item' } };
}

/** The first words of a message item carry what the item says beyond them. */
function inItem(part: Part, item: JsonObject): Part {
  const { fields, form } = part.wire ?? {};
  return {
    ...part,
    wire: { dialect, fields: { ...fields, item }, form: form === undefined ? 'message' : `${form} message` },
  };
}

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
