import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecs, dialects, type JsonObject } from '../../../message/index.ts';
import { runs } from '../../../testing/runs.ts';
import { dialectClients } from '../create.ts';

/** Streams as they are, to be torn apart. */
const streams: Readonly<Record<keyof typeof dialectClients, readonly JsonObject[]>> = {
  anthropic: [
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Yes' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: {} } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'ls', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ],
  'openai-chat': [
    {
      choices: [
        { delta: { role: 'assistant', content: '', reasoning: 'Hm', reasoning_details: [{ index: 0, text: 'H' }] } },
      ],
    },
    { choices: [{ delta: { content: 'Yes' } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'ls', arguments: '' } }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } }] },
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  ],
  'openai-responses': [
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', summary: [] } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', summary: [], encrypted_content: 's' },
    },
    { type: 'response.output_item.added', output_index: 1, item: { type: 'message', role: 'assistant', content: [] } },
    { type: 'response.output_text.delta', output_index: 1, delta: 'Yes' },
    { type: 'response.output_item.added', output_index: 2, item: { type: 'function_call', call_id: 'c', name: 'ls' } },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{}' },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' },
    },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [], usage: { input_tokens: 2, output_tokens: 1 } },
    },
  ],
  gemini: [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hm', thought: true }] } }] },
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Yes' }, { text: '', thoughtSignature: 's' }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: { name: 'ls', args: {} } }] }, finishReason: 'STOP' }] },
    { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } },
  ],
};

describe.each(dialects)('a stream of %s that keeps no order and no types', (dialect) => {
  it('never makes the decoder throw, and what came can be written', () => {
    const events = streams[dialect];
    const strange = fc.jsonValue({ maxDepth: 3 });
    const torn = fc.array(
      fc.record({ at: fc.nat(events.length - 1), path: fc.nat(20), value: fc.option(strange, { nil: undefined }) }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(torn, (steps) => {
        const { createDecoder } = dialectClients[dialect];
        const decoder = createDecoder();
        for (const { at, path, value } of steps) {
          const event = events[at] ?? {};
          decoder.read(value === undefined ? event : (replaced({ value: event, path, by: value }) as JsonObject));
        }
        const message = decoder.message();
        expect(message.role).toBe('assistant');
        decoder.ending();
        expect(JSON.stringify(codecs[dialect].encode([message]))).toBeTypeOf('string');
      }),
      runs(300),
    );
  });
});

/** The value with its nth member, counted through all depths, replaced; the event itself stays an object. */
function replaced({
  value,
  path,
  by,
}: {
  readonly value: unknown;
  readonly path: number;
  readonly by: unknown;
}): unknown {
  let left = path;
  return walk(value);

  function walk(inner: unknown): unknown {
    if (Array.isArray(inner)) return inner.map(step);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, step(member)]));
  }

  function step(member: unknown): unknown {
    left -= 1;
    return left === -1 ? by : walk(member);
  }
}
