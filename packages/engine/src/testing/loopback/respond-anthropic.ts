import type { Illegal } from '../judge/index.ts';
import { isArray, isObject, type JsonRecord } from '../judge/json.ts';
import { pieces, type ResponseContext } from './reply.ts';
import { event } from './sse.ts';

const stops: Record<string, string> = {
  end: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  refused: 'refusal',
};

/** A Message, the non-streaming response of POST /v1/messages. */
export function anthropicMessage(speech: ResponseContext): JsonRecord {
  return {
    ...shell(speech),
    content: blocksOf(speech),
    ...endOf(speech),
    ...managedOf(speech),
    usage: usageOf(speech),
  };
}

/** The same Message as events. */
export function anthropicEvents(speech: ResponseContext): string[] {
  const message = { ...shell(speech), content: [], ...openEnd, usage: { ...usageOf(speech), output_tokens: 1 } };
  const data: JsonRecord[] = [{ type: 'message_start', message }];
  for (const [index, block] of blocksOf(speech).entries()) {
    // Pushed one by one: a large answer has more events than a call takes arguments.
    for (const each of blockEvents({ block, index, speech })) data.push(each);
    if (index === 0) data.splice(2, 0, { type: 'ping' });
  }
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, output_tokens_details } =
    usageOf(speech);
  const usage = {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details,
    server_tool_use: null,
    ...iterationsOf(speech),
  };
  const delta = { ...endOf(speech), container: null };
  data.push({ type: 'message_delta', delta, ...managedOf(speech), usage }, { type: 'message_stop' });
  return data.map((each) => event({ name: String(each.type), data: each }));
}

/** The first event, for later failures. */
export function anthropicOpening(speech: ResponseContext): string[] {
  return anthropicEvents(speech).slice(0, 1);
}

const openEnd = { stop_reason: null, stop_sequence: null, stop_details: null };

const ids = new WeakMap<ResponseContext, string>();

function shell(speech: ResponseContext): JsonRecord {
  const { model, sealer } = speech;
  const id = ids.get(speech) ?? sealer.id('msg');
  ids.set(speech, id);
  return { id, type: 'message', role: 'assistant', model, container: null, diagnostics: null };
}

function endOf({ reply }: ResponseContext): JsonRecord {
  const refused = reply.stop === 'refused';
  return {
    stop_reason: stops[reply.stop] ?? reply.stop,
    stop_sequence: null,
    stop_details: refused ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function blocksOf({ reply, body, sealer, binding }: ResponseContext): JsonRecord[] {
  const blocks: JsonRecord[] = [];
  if (reply.compaction !== undefined)
    blocks.push({ type: 'compaction', content: reply.compaction, encrypted_content: null });
  if (reply.thinking !== '') {
    // "When set to `omitted`, thinking content is redacted but a signature is returned".
    const omitted = isObject(body.thinking) && body.thinking.display === 'omitted';
    const thinking = omitted ? '' : reply.thinking;
    const signature = sealer.sign({ text: thinking, ...(binding ? { binding } : {}) });
    blocks.push({ type: 'thinking', thinking, signature });
  }
  if (reply.text !== '') blocks.push({ type: 'text', text: reply.text });
  for (const { id, name, input } of reply.calls)
    blocks.push({ type: 'tool_use', id, name, input, caller: { type: 'direct' } });
  return blocks;
}

function blockEvents({
  block,
  index,
  speech,
}: {
  block: JsonRecord;
  index: number;
  speech: ResponseContext;
}): JsonRecord[] {
  const delta = (value: JsonRecord): JsonRecord => ({ type: 'content_block_delta', index, delta: value });
  const start = (value: JsonRecord): JsonRecord => ({ type: 'content_block_start', index, content_block: value });
  const stop: JsonRecord = { type: 'content_block_stop', index };
  switch (block.type) {
    case 'thinking':
      return [
        start({ ...block, thinking: '', signature: '' }),
        ...pieces({ text: String(block.thinking), size: 16 }).map((thinking) =>
          delta({ type: 'thinking_delta', thinking }),
        ),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
    case 'tool_use': {
      const json = speech.reply.calls.find(({ id }) => id === block.id)?.json ?? '{}';
      return [
        start({ ...block, input: {} }),
        // The first one is empty, and the rest splits names and numbers anywhere.
        ...['', ...pieces({ text: json, size: 7 })].map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
        stop,
      ];
    }
    case 'compaction':
      // "The delta carries the block's final value" (SDK): there is one, with null for a failed compaction.
      return [
        start({ ...block, content: null }),
        delta({ type: 'compaction_delta', content: block.content, encrypted_content: null }),
        stop,
      ];
    default:
      return [
        start({ ...block, text: '' }),
        ...pieces({ text: String(block.text), size: 16 }).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
  }
}

/** Edits of the prompt, if they were requested. */
function managedOf({ reply: { appliedEdits, compaction } }: ResponseContext): JsonRecord {
  if (!appliedEdits && compaction === undefined) return {};
  const compacted = typeof compaction === 'string' ? [{ type: 'compact_20260112' }] : [];
  return { context_management: { applied_edits: [...(appliedEdits ?? []), ...compacted] } };
}

/** "A `compaction` entry's tokens are not included in the top-level `usage` fields" (SDK doc). */
function iterationsOf({ reply: { compacting, usage } }: ResponseContext): JsonRecord {
  if (!compacting) return {};
  const none = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const { input, output } = compacting;
  return {
    iterations: [
      { type: 'compaction', input_tokens: input, output_tokens: output, ...none },
      { type: 'message', input_tokens: usage.input, output_tokens: usage.output, ...none },
    ],
  };
}

function usageOf(speech: ResponseContext): JsonRecord {
  const { usage } = speech.reply;
  return {
    ...iterationsOf(speech),
    input_tokens: Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite),
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: Math.max(0, usage.cacheWrite - usage.cacheWriteHour),
      ephemeral_1h_input_tokens: usage.cacheWriteHour,
    },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    inference_geo: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: 'standard',
  };
}

const threadsBeta = 'message-threads-2026-08-12';

/**
 * Conversations that the server holds between turns. A request with `thread` of type `continue` sends only what is new,
 * after the newest response of a thread; the server has its system text and its tools.
 */
export class ThreadMemory {
  readonly #threads = new Map<string, { readonly held: JsonRecord; isContinued: boolean }>();

  /** Why a request with a thread is not accepted. */
  refusal({ body, headers }: { body: JsonRecord; headers: Readonly<Record<string, string>> }): Illegal | undefined {
    const { thread } = body;
    if (!isObject(thread)) return undefined;
    const illegal = { legal: false, status: 400, type: 'invalid_request_error', path: 'thread' } as const;
    if (!(headers['anthropic-beta'] ?? '').includes(threadsBeta))
      return { ...illegal, message: 'thread: Extra inputs are not permitted' };
    if (thread.type !== 'continue') return undefined;
    const found = this.#threads.get(String(thread.previous_message_id));
    if (!found) {
      const message = `thread.previous_message_id: no thread with the message ${String(thread.previous_message_id)}`;
      return { ...illegal, status: 404, type: 'not_found_error', code: 'thread_not_found', message };
    }
    if (found.isContinued) {
      const message = 'thread.previous_message_id: the thread was continued from this message before';
      return { ...illegal, code: 'thread_already_continued', message };
    }
    const repeated = ['system', 'tools'].find((name) => body[name] !== undefined);
    return repeated === undefined
      ? undefined
      : { ...illegal, message: `${repeated}: not allowed on a continued thread` };
  }

  /** The body with what the server holds. */
  continued(body: JsonRecord): JsonRecord {
    const { thread, ...rest } = body;
    const found = isObject(thread) ? this.#threads.get(String(thread.previous_message_id)) : undefined;
    if (!found) return body;
    return { ...rest, ...found.held, messages: [...messagesOf(found.held), ...messagesOf(body)] };
  }

  keep({ sent, body, answer }: { sent: JsonRecord; body: JsonRecord; answer: JsonRecord }): void {
    if (!isObject(sent.thread)) return;
    const { system, tools } = body;
    const messages = [...messagesOf(body), { role: 'assistant', content: answer.content }];
    const held = { ...(system !== undefined && { system }), ...(tools !== undefined && { tools }), messages };
    const previous = this.#threads.get(String(sent.thread.previous_message_id));
    if (previous) previous.isContinued = true;
    this.#threads.set(String(answer.id), { held, isContinued: false });
  }
}

function messagesOf({ messages }: JsonRecord): readonly unknown[] {
  return isArray(messages) ? messages : [];
}
