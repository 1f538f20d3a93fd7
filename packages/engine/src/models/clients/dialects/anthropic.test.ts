import { expect, it } from 'vitest';
import { codecs, type JsonObject } from '../../../message/index.ts';
import { createAnthropicDecoder } from './anthropic.ts';
import { decodeAll } from './fixtures.fixture.ts';

const read = (events: readonly JsonObject[]) => decodeAll({ decoder: createAnthropicDecoder(), events });
const start = (index: number, content_block: JsonObject) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, value: JsonObject) => ({ type: 'content_block_delta', index, delta: value });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string) => [{ type: 'message_delta', delta: { stop_reason } }, { type: 'message_stop' }];

it('what the provider ran itself comes back as it was, block by block', () => {
  const { message, ending, heard } = read([
    start(0, { type: 'redacted_thinking', data: 'sealed' }),
    stop(0),
    start(1, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
    delta(1, { type: 'input_json_delta', partial_json: '{"query":' }),
    delta(1, { type: 'input_json_delta', partial_json: '"x"}' }),
    stop(1),
    start(2, {
      type: 'web_search_tool_result',
      tool_use_id: 'srv_1',
      content: [{ type: 'web_search_result', url: 'u' }],
    }),
    stop(2),
    start(3, { type: 'text', text: '', citations: [] }),
    delta(3, { type: 'text_delta', text: 'So it is.' }),
    delta(3, { type: 'citations_delta', citation: { url: 'u' } }),
    stop(3),
    ...end('pause_turn'),
  ]);
  expect(ending).toEqual({ reason: 'paused' });
  expect(heard.map((event) => event.type)).toEqual(['text']);
  expect(codecs.anthropic.encode([message])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ type: 'web_search_result', url: 'u' }] },
        { type: 'text', text: 'So it is.', citations: [{ url: 'u' }] },
      ],
    },
  ]);
});

it('a compaction block has the value of its delta', () => {
  const { message, ending, heard } = read([
    start(0, { type: 'compaction', content: null }),
    delta(0, { type: 'compaction_delta', content: 'The summary.', encrypted_content: 'sealed' }),
    stop(0),
    ...end('compaction'),
  ]);
  const block = { type: 'compaction', content: 'The summary.', encrypted_content: 'sealed' };
  expect(ending).toEqual({ reason: 'paused' });
  const signal = { kind: 'compaction', name: 'compaction', value: block };
  expect(heard).toEqual([{ type: 'provider_compaction', signal }]);
  expect(message.parts).toMatchObject([{ type: 'opaque', kind: 'compaction', value: block }]);
  expect(codecs.anthropic.encode([message])).toEqual([{ role: 'assistant', content: [block] }]);
});

it('compaction_delta gives a signal when it comes, also where the stream breaks off after it', () => {
  const { heard } = read([
    start(0, { type: 'compaction', content: null }),
    delta(0, { type: 'compaction_delta', content: 'The summary.' }),
  ]);
  expect(heard).toMatchObject([{ type: 'provider_compaction', signal: { kind: 'compaction' } }]);
  const sealed = read([
    start(0, { type: 'compaction', content: null }),
    delta(0, { type: 'compaction_delta', content: null, encrypted_content: 'sealed' }),
    stop(0),
  ]);
  expect(sealed.heard).toHaveLength(1);
  const failed = read([
    start(0, { type: 'compaction', content: null }),
    delta(0, { type: 'compaction_delta', content: null }),
    stop(0),
  ]);
  expect(failed.heard).toEqual([]);
});

it('arguments that were cut by the output limit stay as the model wrote them', () => {
  const { message, heard, ending } = read([
    start(0, { type: 'tool_use', id: 't', name: 'write', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"path": "a' }),
    stop(0),
    ...end('max_tokens'),
  ]);
  expect(ending).toEqual({ reason: 'length' });
  expect(message.parts).toMatchObject([{ type: 'tool_call', id: 't', arguments: '{"path": "a' }]);
  expect(heard.at(-1)).toMatchObject({ type: 'tool_call', call: { arguments: '{"path": "a' } });
});

it('arguments that came whole with the start are taken', () => {
  const { message } = read([start(0, { type: 'tool_use', id: 't', name: 'ls', input: { path: '.' } }), stop(0)]);
  expect(message.parts).toMatchObject([{ type: 'tool_call', arguments: '{"path":"."}' }]);
});

it.each([
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop'],
  ['refusal', 'refused'],
  ['something_new', 'stop'],
])('%s is %s', (said, reason) => {
  expect(read(end(said)).ending).toEqual({ reason });
});

it.each([
  [{ explanation: 'It could enable harm.', category: 'cyber' }, 'It could enable harm.'],
  [{ explanation: null, category: 'cyber' }, 'cyber'],
])('a refusal says why: %j', (details, why) => {
  const stop_details = { type: 'refusal', ...details };
  const { ending } = read([{ type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } }]);
  const message = `The model declined: ${why}`;
  expect(ending).toEqual({ reason: 'refused', failure: { kind: 'refused', retryable: false, message } });
});

it('an id that is no text makes no call, and no error', () => {
  const { heard } = read([
    start(0, { type: 'tool_use', id: { toString: 1, valueOf: 1 }, name: 'ls', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{}' }),
  ]);
  expect(heard).toEqual([]);
});

it('counts that the last event leaves out stay as they were', () => {
  const { heard } = read([
    { type: 'message_start', message: { usage: { input_tokens: 9, cache_read_input_tokens: 100, output_tokens: 1 } } },
    { type: 'message_delta', delta: {}, usage: { output_tokens: 20, cache_read_input_tokens: null } },
  ]);
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: { input: 9, output: 20, cacheRead: 100, cacheWrite: 0 } });
});
