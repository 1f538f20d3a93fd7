import { describe, expect, it } from 'vitest';
import { codecs, type JsonObject } from '../../../message/index.ts';
import { decodeAll } from './fixtures.fixture.ts';
import { createResponsesDecoder } from './openai-responses.ts';

const read = (events: readonly JsonObject[]) => decodeAll({ decoder: createResponsesDecoder(), events });
const done = (output: readonly JsonObject[], status = 'completed', more: JsonObject = {}): JsonObject[] => [
  ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
  { type: `response.${status}`, response: { status, output, ...more } },
];
const text = (value: string) => ({ type: 'output_text', text: value, annotations: [], logprobs: [] });

const everything: readonly JsonObject[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'sealed' },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    phase: 'commentary',
    content: [text('First.')],
  },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed too' },
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'patch', input: '*** Begin', status: 'completed' },
  { type: 'function_call', id: 'fc_1', call_id: 'c2', name: 'read', arguments: '{"n": 1}', status: 'completed' },
  {
    type: 'message',
    id: 'msg_2',
    role: 'assistant',
    status: 'completed',
    phase: 'final_answer',
    content: [text('Second.'), { type: 'refusal', refusal: 'Not that.' }],
  },
  {
    type: 'message',
    id: 'msg_3',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'refusal', refusal: 'No.' }],
  },
];

describe('an answer of many items', () => {
  it('is one message, and is written as the same items again', () => {
    const { message, ending } = read(done(everything));
    expect(ending).toEqual({ reason: 'tool_calls' });
    expect(message.parts.map((part) => part.type)).toEqual([
      ...['thinking', 'text', 'opaque', 'opaque', 'tool_call', 'tool_call', 'text', 'text', 'text'],
    ]);
    expect(codecs['openai-responses'].encode([message])).toEqual(everything);
    const plain = codecs['openai-responses'].encode(codecs['openai-responses'].decode(everything));
    expect(JSON.stringify(codecs['openai-responses'].encode([message]))).toBe(JSON.stringify(plain));
  });

  it('loses nothing in another dialect that it can carry', () => {
    const { message } = read(done(everything));
    const [item] = codecs['openai-chat'].encode([message]);
    expect(item).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'c1' }, { id: 'c2' }] });
    expect(JSON.stringify(item)).toContain('Second.');
    expect(JSON.stringify(item)).not.toContain('msg_1');
  });

  it('is taken from the last event where there were no others', () => {
    const { message } = read(done(everything).slice(-1));
    expect(codecs['openai-responses'].encode([message])).toEqual(everything);
  });
});

it('a thought that is neither sealed nor shown is not sent back: nothing is stored there', () => {
  const reasoning = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
  const said = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [text('Yes.')] };
  const { message } = read(done([reasoning, said]));
  expect(message.parts[0]).toEqual({ type: 'thinking', origin: 'model', text: 'Hm.' });
  expect(codecs['openai-responses'].encode([message])).toEqual([said]);
});

it.each([
  ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'refused'],
  ['completed', {}, 'stop'],
] as const)('%s with %j is %s', (status, more, reason) => {
  expect(read(done([], status, more)).ending).toEqual({ reason });
});

it('a cancelled response is a failure', () => {
  expect(read(done([], 'cancelled')).ending).toMatchObject({ reason: 'failed' });
});
