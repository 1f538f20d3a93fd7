import { isObject, type JsonRecord } from '../judge/json.ts';
import { pieces, type ReplyCall, type ResponseContext } from './reply.ts';
import { event } from './sse.ts';

const stops: Record<string, string> = {
  end: 'stop',
  tools: 'tool_calls',
  length: 'length',
  refused: 'content_filter',
};

/** A chat completion. */
export function chatCompletion(speech: ResponseContext): JsonRecord {
  const { reply } = speech;
  const message = {
    role: 'assistant',
    content: reply.text === '' && reply.calls.length > 0 ? null : reply.text,
    refusal: null,
    annotations: [],
    // Not OpenAI's own field, but that of compatible servers that show their reasoning.
    ...(reply.thinking === '' ? {} : { reasoning_content: reply.thinking }),
    ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map(callOf) }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: stopOf(speech) };
  return { ...shell({ speech, object: 'chat.completion' }), choices: [choice], usage: usageOf(speech) };
}

/** The same completion as chunks, with `[DONE]` at the end. */
export function chatEvents(speech: ResponseContext): string[] {
  const { reply, body } = speech;
  const counted = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const head = shell({ speech, object: 'chat.completion.chunk' });
  const chunk = ({ finish_reason = null, ...delta }: JsonRecord): string =>
    event({
      data: {
        ...head,
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
        ...(counted ? { usage: null } : {}),
      },
    });
  const content = pieces({ text: reply.text, size: 16 }).map((piece) => chunk({ content: piece }));
  const last = event({ data: { ...head, choices: [], usage: usageOf(speech) } });
  return [
    chunk({ role: 'assistant', content: reply.text === '' && reply.calls.length > 0 ? null : '', refusal: null }),
    ...pieces({ text: reply.thinking, size: 16 }).map((reasoning_content) => chunk({ reasoning_content })),
    ...content,
    ...reply.calls.flatMap((call, index) => callDeltas({ call, index }).map((tool) => chunk({ tool_calls: [tool] }))),
    chunk({ finish_reason: stopOf(speech) }),
    ...(counted ? [last] : []),
    event({ data: '[DONE]' }),
  ];
}

/** The first chunk, for later failures. */
export function chatOpening(speech: ResponseContext): string[] {
  return chatEvents(speech).slice(0, 1);
}

function shell({ speech, object }: { speech: ResponseContext; object: string }): JsonRecord {
  const { model, created, sealer } = speech;
  return {
    id: sealer.id('chatcmpl').replace('_', '-'),
    object,
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_loopback',
  };
}

function stopOf({ reply }: ResponseContext): string {
  return stops[reply.stop] ?? reply.stop;
}

function callOf({ id, name, json, custom }: ReplyCall): JsonRecord {
  if (custom) return { id, type: 'custom', custom: { name, input: json } };
  return { id, type: 'function', function: { name, arguments: json } };
}

function callDeltas({ call, index }: { call: ReplyCall; index: number }): JsonRecord[] {
  const { id, name, json, custom } = call;
  const kind = custom ? 'custom' : 'function';
  const field = custom ? 'input' : 'arguments';
  return [
    { index, id, type: kind, [kind]: { name, [field]: '' } },
    ...pieces({ text: json, size: 7 }).map((piece) => ({ index, [kind]: { [field]: piece } })),
  ];
}

function usageOf({ reply: { usage } }: ResponseContext): JsonRecord {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
