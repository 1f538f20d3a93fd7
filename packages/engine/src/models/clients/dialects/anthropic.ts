import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../../json.ts';
import { codecs, type Message, type Part, writeRequest } from '../../../message/index.ts';
import { withBreakpoints } from '../../breakpoints.ts';
import type { ModelEvent, ToolChoice } from '../../model.ts';
import { askForCompaction, readCompactionSignals } from '../../provider-compaction.ts';
import { readUsage } from '../../usage.ts';
import { answerOf, type Decoder, type Ending, unbound } from './decoder.ts';
import { type BodyInput, choiceOf, conversationOf, outputLimit, temperatureOf } from './request-body.ts';
import { budgetOf, effortOf } from './thinking.ts';

interface ContentBlock {
  /** As it would stand in an answer that was not streamed. */
  value: Record<string, Json | undefined>;
  /** The text of the arguments as far as it came. */
  json: string;
  isWhole: boolean;
  /** Whether a compaction was reported. */
  isSignaled?: true;
}

const dialect = 'anthropic';

/** `compaction`: the provider summed up the conversation and waits for it to be sent again. */
const reasons: Readonly<Record<string, Exclude<Ending['reason'], 'failed'>>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'paused',
  compaction: 'paused',
  refusal: 'refused',
};

/** The events of `POST /v1/messages`: the provider's own blocks are put together, then read by the codec. */
export function createAnthropicDecoder(): Decoder {
  const blocks = new Map<number, ContentBlock>();
  let usage: JsonObject = {};
  let ending: Ending | undefined;
  let isOver = false;

  return {
    read(event) {
      switch (event.type) {
        case 'message_start':
          return counted(isObject(event.message) ? event.message.usage : undefined);
        case 'content_block_start':
          return start(event);
        case 'content_block_delta':
          return grow(event);
        case 'content_block_stop':
          return stop(event);
        case 'message_delta':
          if (isObject(event.delta) && typeof event.delta.stop_reason === 'string') ending = endingOf(event.delta);
          return counted(event.usage);
        case 'message_stop':
          isOver = true;
          ending ??= { reason: 'stop' };
          return [];
        case 'error':
          isOver = true;
          ending = { reason: 'failed', error: event };
          return [];
        default:
          return [];
      }
    },
    ending: () => ending,
    isOver: () => isOver,
    message,
  };

  /** The last event repeats some of the counts and leaves others out. */
  function counted(value: Json | undefined): readonly ModelEvent[] {
    if (!isObject(value)) return [];
    const said = Object.entries(value).filter(([, count]) => count !== null && count !== undefined);
    usage = { ...usage, ...Object.fromEntries(said) };
    const read = readUsage({ dialect, value: usage });
    return read ? [{ type: 'usage', usage: read }] : [];
  }

  function start({ index, content_block: value }: JsonObject): readonly ModelEvent[] {
    if (typeof index !== 'number' || !isObject(value)) return [];
    blocks.set(index, { value: { ...value }, json: '', isWhole: false });
    const { type, id, name, text } = value;
    if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', delta: text }];
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
    return [{ type: 'tool_call_start', id, name }];
  }

  function grow({ index, delta }: JsonObject): readonly ModelEvent[] {
    const block = typeof index === 'number' ? blocks.get(index) : undefined;
    if (!block || !isObject(delta)) return [];
    const { value } = block;
    switch (delta.type) {
      case 'text_delta':
        return said('text', append({ value, key: 'text', delta: delta.text }));
      case 'thinking_delta':
        return said('thinking', append({ value, key: 'thinking', delta: delta.thinking }));
      case 'signature_delta':
        append({ value, key: 'signature', delta: delta.signature });
        return [];
      case 'citations_delta':
        value.citations = [...(isArray(value.citations) ? value.citations : []), delta.citation ?? null];
        return [];
      case 'input_json_delta': {
        const piece = typeof delta.partial_json === 'string' ? delta.partial_json : '';
        block.json += piece;
        if (piece === '' || value.type !== 'tool_use' || typeof value.id !== 'string') return [];
        return [{ type: 'tool_call_delta', id: value.id, delta: piece }];
      }
      default: {
        // `compaction_delta` and kinds that are not known yet carry the final value of their members.
        const { type: _, ...members } = delta;
        Object.assign(value, members);
        return value.type === 'compaction' ? compacted(block) : [];
      }
    }
  }

  /** One signal for each compaction: with its delta, or with the end of a block that came without one. */
  function compacted(block: ContentBlock): readonly ModelEvent[] {
    const { content, encrypted_content: encrypted } = block.value;
    if (block.isSignaled || (typeof content !== 'string' && typeof encrypted !== 'string')) return [];
    block.isSignaled = true;
    const value = { ...block.value };
    return readCompactionSignals(value).map((signal) => ({ type: 'provider_compaction', signal }));
  }

  function stop({ index }: JsonObject): readonly ModelEvent[] {
    const block = typeof index === 'number' ? blocks.get(index) : undefined;
    if (!block) return [];
    block.isWhole = true;
    if (block.value.type === 'compaction') return compacted(block);
    if (block.value.type !== 'tool_use') return [];
    const [part] = decode([block]).parts;
    return part?.type === 'tool_call' ? [{ type: 'tool_call', call: part }] : [];
  }

  /** An incomplete call is dropped: half an instruction must not be executed. */
  function message(): Message {
    return decode([...blocks.values()].filter((block) => block.isWhole || isReadable(block.value)));
  }
}

function decode(blocks: readonly ContentBlock[]): Message {
  const shown = blocks.filter(({ value }) => value.type !== 'text' || value.text !== '');
  const [message = { role: 'assistant', parts: [] }] = codecs[dialect].decode([
    { role: 'assistant', content: shown.map(written) },
  ]);
  const parts = message.parts.map((part, at) => settled({ part, block: shown[at] }));
  return answerOf({ wire: message.wire, parts });
}

/** The block with the arguments that came in pieces; some servers send them whole with the start. */
function written({ value, json }: ContentBlock): JsonObject {
  const input = json === '' ? undefined : parseJson(json);
  return input === undefined ? value : { ...value, input };
}

function settled({ part, block }: { readonly part: Part; readonly block: ContentBlock | undefined }): Part {
  // Without its signature a thought is refused (an answer that broke off, servers that only speak the dialect).
  if (part.type === 'thinking' && part.encrypted === undefined && !part.signature) return unbound(part);
  // Arguments that are not JSON are kept as written, so that the caller can report them to the model.
  if (part.type === 'tool_call' && block && block.json !== '' && parseJson(block.json) === undefined)
    return { ...part, arguments: block.json };
  return part;
}

function isReadable({ type }: JsonObject): boolean {
  return type === 'text' || type === 'thinking';
}

function append({
  value,
  key,
  delta,
}: {
  readonly value: Record<string, Json | undefined>;
  readonly key: string;
  readonly delta: Json | undefined;
}): string {
  if (typeof delta !== 'string') return '';
  const before = value[key];
  value[key] = (typeof before === 'string' ? before : '') + delta;
  return delta;
}

function said(type: 'text' | 'thinking', delta: string): readonly ModelEvent[] {
  return delta === '' ? [] : [{ type, delta }];
}

function endingOf({ stop_reason: said, stop_details: details }: JsonObject): Ending {
  const reason = reasons[String(said)] ?? 'stop';
  if (reason !== 'refused') return { reason };
  // Newer models say why, and of what kind it was.
  const { explanation, category } = isObject(details) ? details : {};
  const why = [explanation, category].find((each) => typeof each === 'string' && each !== '');
  if (typeof why !== 'string') return { reason };
  return {
    reason,
    failure: { kind: 'refused', retryable: false, message: `The model declined: ${why.slice(0, 300)}` },
  };
}

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

interface ThinkingParams {
  readonly thinking?: JsonObject;
  readonly output_config?: JsonObject;
  readonly max_tokens: number;
}

function thinkingOf({ info, request }: Pick<BodyInput, 'info' | 'request'>): ThinkingParams {
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
  // Newer models omit the text of thinking unless asked; users need it to follow a run.
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
