import { isObject, type JsonRecord } from '../judge/json.ts';
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

function shell({ model, sealer }: ResponseContext): JsonRecord {
  return { id: sealer.id('msg'), type: 'message', role: 'assistant', model, container: null, diagnostics: null };
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
