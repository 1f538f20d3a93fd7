import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../../json.ts';
import { codecs, type Message, type Part } from '../../../message/index.ts';
import type { ModelEvent } from '../../model.ts';
import { readCompactionSignals } from '../../provider-compaction.ts';
import { readUsage } from '../../usage.ts';
import { answerOf, unbound } from './answer.ts';
import type { Decoder, Ending } from './decoder.ts';

interface Block {
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
  const blocks = new Map<number, Block>();
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
  function compacted(block: Block): readonly ModelEvent[] {
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

  /** Half a call is left out: nobody should carry out half an instruction. */
  function message(): Message {
    return decode([...blocks.values()].filter((block) => block.isWhole || isReadable(block.value)));
  }
}

function decode(blocks: readonly Block[]): Message {
  const shown = blocks.filter(({ value }) => value.type !== 'text' || value.text !== '');
  const [message = { role: 'assistant', parts: [] }] = codecs[dialect].decode([
    { role: 'assistant', content: shown.map(written) },
  ]);
  const parts = message.parts.map((part, at) => settled({ part, block: shown[at] }));
  return answerOf({ wire: message.wire, parts });
}

/** The block with the arguments that came in pieces; some servers send them whole with the start. */
function written({ value, json }: Block): JsonObject {
  const input = json === '' ? undefined : parseJson(json);
  return input === undefined ? value : { ...value, input };
}

function settled({ part, block }: { readonly part: Part; readonly block: Block | undefined }): Part {
  // Without its signature a thought is refused (an answer that broke off, servers that only speak the dialect).
  if (part.type === 'thinking' && part.encrypted === undefined && !part.signature) return unbound(part);
  // Arguments that are no JSON are kept as the model wrote them, for whoever tells it so.
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
