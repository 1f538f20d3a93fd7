import { isArray, isObject, type Json, type JsonObject } from '../../../json.ts';
import { codecs, type Message, type Part, writeRequest } from '../../../message/index.ts';
import type { ModelEvent, ToolChoice } from '../../model.ts';
import { readUsage } from '../../usage.ts';
import { answerOf, type Decoder, type Ending } from './decoder.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './request-body.ts';
import { effortOf } from './thinking.ts';

interface PartialCall {
  readonly id: string;
  readonly kind: 'function' | 'custom';
  readonly name: string;
  text: string;
  /** Members other than name and arguments, such as the signature of Google's compatible server. */
  fields: JsonObject;
}

const dialect = 'openai-chat';

/** Where compatible servers put reasoning; a server that writes it under two names says it once. */
const reasoningKeys = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

const reasons: Readonly<Record<string, Exclude<Ending['reason'], 'failed'>>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'refused',
};

/** The chunks of `POST /v1/chat/completions`, from OpenAI and from all who imitate it. `newId` names calls that came without. */
export function createChatDecoder({ newId }: { readonly newId: () => string }): Decoder {
  const calls: PartialCall[] = [];
  /** Which call the pieces at an index belong to: Ollama and Gemini put several whole calls under index 0. */
  const at = new Map<number, PartialCall>();
  let text: string | undefined;
  let refusal: string | undefined;
  let thought: { readonly key: string; text: string } | undefined;
  let details: readonly Json[] = [];
  let finish: string | undefined;
  let error: unknown;
  let isClosed = false;
  let announced = 0;

  return {
    read(event) {
      if (event.error !== undefined && event.error !== null) {
        error = event;
        return [];
      }
      const usage = readUsage({ dialect, value: event.usage });
      const choice = isArray(event.choices) ? event.choices[0] : undefined;
      const events = isObject(choice) ? readChoice(choice) : [];
      return usage ? [...events, { type: 'usage', usage }] : events;
    },
    close() {
      isClosed = true;
    },
    ending,
    isOver: () => isClosed || error !== undefined,
    message: () => decode({ withCalls: ending() === undefined ? calls.slice(0, announced) : calls }),
  };

  function readChoice({ delta, finish_reason: reason, error: failed }: JsonObject): ModelEvent[] {
    // OpenRouter reports an error of the provider behind it inside the choice.
    if (isObject(failed)) error = { error: failed };
    const events = isObject(delta) ? readDelta(delta) : [];
    if (typeof reason === 'string' && finish === undefined) {
      finish = reason;
      events.push(...announce(calls.length));
    }
    return events;
  }

  function readDelta(delta: JsonObject): ModelEvent[] {
    const events: ModelEvent[] = [];
    const key = thought?.key ?? reasoningKeys.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    const reasoning = key === undefined ? undefined : delta[key];
    if (key !== undefined && typeof reasoning === 'string' && reasoning !== '') {
      thought ??= { key, text: '' };
      thought.text += reasoning;
      events.push({ type: 'thinking', delta: reasoning });
    }
    if (isArray(delta.reasoning_details)) details = mergeDetails({ before: details, more: delta.reasoning_details });
    if (typeof delta.content === 'string') {
      text = (text ?? '') + delta.content;
      if (delta.content !== '') events.push({ type: 'text', delta: delta.content });
    }
    if (typeof delta.refusal === 'string') {
      refusal = (refusal ?? '') + delta.refusal;
      if (delta.refusal !== '') events.push({ type: 'text', delta: delta.refusal });
    }
    for (const piece of isArray(delta.tool_calls) ? delta.tool_calls : [])
      if (isObject(piece)) events.push(...readCall(piece));
    return events;
  }

  function readCall(piece: JsonObject): ModelEvent[] {
    const { index, id, type, function: named, custom, ...fields } = piece;
    const kind = isObject(custom) ? 'custom' : 'function';
    const inner = isObject(custom) ? custom : isObject(named) ? named : {};
    const name = typeof inner.name === 'string' ? inner.name : '';
    const isMore = typeof index !== 'number' && id === undefined && name === '';
    const place = typeof index === 'number' ? index : isMore ? Math.max(0, calls.length - 1) : calls.length;
    const delta = inner[kind === 'custom' ? 'input' : 'arguments'];
    const given = typeof id === 'string' && id !== '' ? id : undefined;
    const events: ModelEvent[] = [];
    let call = at.get(place);
    if (!call || (given !== undefined && given !== call.id)) {
      // A new call begins where the one before it ends.
      events.push(...announce(calls.length));
      call = {
        id: given ?? newId(),
        kind,
        name: typeof inner.name === 'string' ? inner.name : '',
        text: '',
        fields: {},
      };
      at.set(place, call);
      calls.push(call);
      events.push({ type: 'tool_call_start', id: call.id, name: call.name });
    }
    call.fields = { ...call.fields, ...fields };
    const words = typeof delta === 'string' ? delta : isObject(delta) ? JSON.stringify(delta) : '';
    call.text += words;
    if (words !== '') events.push({ type: 'tool_call_delta', id: call.id, delta: words });
    return events;
  }

  /** Says that the calls before `end` are whole. */
  function announce(end: number): ModelEvent[] {
    const whole = calls.slice(announced, end).map(decodeCall);
    announced = Math.max(announced, end);
    return whole.flatMap((part): ModelEvent[] =>
      part?.type === 'tool_call' ? [{ type: 'tool_call', call: part }] : [],
    );
  }

  function ending(): Ending | undefined {
    if (error !== undefined) return { reason: 'failed', error };
    if (finish === undefined && !isClosed) return undefined;
    if (finish === 'error' || finish === 'insufficient_system_resource')
      return { reason: 'failed', error: new Error(`The stream ended before it was complete (${finish}).`) };
    const reason = reasons[finish ?? 'stop'] ?? 'stop';
    // Several local servers say `stop` after calls, too; OpenAI says it of a refusal.
    if (reason === 'stop' && calls.length > 0) return { reason: 'tool_calls' };
    return { reason: reason === 'stop' && refusal ? 'refused' : reason };
  }

  function decode({ withCalls }: { readonly withCalls: readonly PartialCall[] }): Message {
    const item: JsonObject = {
      role: 'assistant',
      content: text === undefined || (text === '' && withCalls.length > 0) ? null : text,
      ...(refusal !== undefined && { refusal }),
      ...(thought && { [thought.key]: thought.text }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(withCalls.length > 0 && { tool_calls: withCalls.map(written) }),
    };
    const [message = { role: 'assistant', parts: [] }] = codecs[dialect].decode([item]);
    return answerOf({
      wire: message.wire,
      parts: message.parts.filter((part) => part.type !== 'text' || part.text !== ''),
    });
  }
}

function decodeCall(call: PartialCall): Part | undefined {
  const item = { role: 'assistant', content: null, tool_calls: [written(call)] };
  return codecs[dialect].decode([item])[0]?.parts[0];
}

function written({ id, kind, name, text, fields }: PartialCall): JsonObject {
  if (kind === 'custom') return { id, type: 'custom', custom: { name, input: text }, ...fields };
  return { id, type: 'function', function: { name, arguments: text }, ...fields };
}

/**
 * OpenRouter's `reasoning_details`: what must come back for the provider behind it to know its own reasoning. Pieces of
 * one entry share `index` and `type`; their texts follow each other, the rest replaces what was there.
 */
function mergeDetails({
  before,
  more,
}: {
  readonly before: readonly Json[];
  readonly more: readonly Json[];
}): readonly Json[] {
  const merged = [...before];
  for (const piece of more) {
    const last = merged.at(-1);
    if (isObject(piece) && isObject(last) && last.index === piece.index && last.type === piece.type) {
      const texts = ['text', 'summary', 'data'].flatMap((key) => {
        const [old, next] = [last[key], piece[key]];
        return typeof old === 'string' && typeof next === 'string' ? [[key, old + next] as const] : [];
      });
      const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
      merged[merged.length - 1] = { ...last, ...Object.fromEntries(said), ...Object.fromEntries(texts) };
    } else {
      merged.push(piece);
    }
  }
  return merged;
}

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
