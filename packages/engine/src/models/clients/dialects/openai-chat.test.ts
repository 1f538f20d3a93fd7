import { expect, it } from 'vitest';
import { codecs, type JsonObject } from '../../../message/index.ts';
import { counter, decodeAll } from './fixtures.fixture.ts';
import { createChatDecoder } from './openai-chat.ts';

const read = (events: readonly JsonObject[]) => decodeAll({ decoder: createChatDecoder({ newId: counter() }), events });
const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (id: string | undefined, name: string, text: string, index?: number) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { name, arguments: text },
});

it.each([
  ['under one index (Ollama, Gemini)', [0, 0]],
  ['without an index', [undefined, undefined]],
])('several whole calls %s are several calls', (_, [first, second]) => {
  const { message, heard, ending } = read([
    chunk({ tool_calls: [call('a', 'read', '{"n":1}', first)] }),
    chunk({ tool_calls: [call('b', 'read', '{"n":2}', second)] }, 'stop'),
  ]);
  expect(ending).toEqual({ reason: 'tool_calls' });
  expect(message.parts).toMatchObject([
    { type: 'tool_call', id: 'a', arguments: '{"n":1}' },
    { type: 'tool_call', id: 'b', arguments: '{"n":2}' },
  ]);
  expect(heard.filter((event) => event.type === 'tool_call')).toHaveLength(2);
});

it('calls without an id get one', () => {
  const { message } = read([
    chunk({ tool_calls: [call(undefined, 'ls', '{}', 0), call('', 'ls', '{}', 1)] }, 'tool_calls'),
  ]);
  expect(message.parts).toMatchObject([{ id: 'made_1' }, { id: 'made_2' }]);
});

it('what Google and OpenRouter need back rides along', () => {
  const details = [
    { type: 'reasoning.text', index: 0, text: 'So ' },
    { type: 'reasoning.text', index: 0, text: 'it is.', signature: 'sig' },
    { type: 'reasoning.encrypted', index: 1, data: 'sealed' },
  ];
  const { message, heard } = read([
    ...details.map((detail) => chunk({ reasoning: detail.text ?? '', reasoning_details: [detail] })),
    chunk({ tool_calls: [{ ...call('a', 'read', '{}', 0), extra_content: { google: { thought_signature: 's' } } }] }),
    chunk({}, 'tool_calls'),
  ]);
  expect(heard.flatMap((event) => (event.type === 'thinking' ? [event.delta] : []))).toEqual(['So ', 'it is.']);
  expect(codecs['openai-chat'].encode([message])).toEqual([
    {
      role: 'assistant',
      content: null,
      reasoning: 'So it is.',
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'So it is.', signature: 'sig' },
        { type: 'reasoning.encrypted', index: 1, data: 'sealed' },
      ],
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'read', arguments: '{}' },
          extra_content: { google: { thought_signature: 's' } },
        },
      ],
    },
  ]);
});

it('reasoning under two names is said once', () => {
  const { message, heard } = read([
    chunk({ reasoning: 'Hm', reasoning_content: 'Hm' }),
    chunk({ content: 'Yes' }, 'stop'),
  ]);
  expect(heard.filter((event) => event.type === 'thinking')).toHaveLength(1);
  expect(message.parts).toMatchObject([
    { type: 'thinking', text: 'Hm' },
    { type: 'text', text: 'Yes' },
  ]);
});

it('free text of a custom tool is free text', () => {
  const { message } = read([
    chunk({ tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '' } }] }),
    chunk({ tool_calls: [{ index: 0, custom: { input: '*** Begin' } }] }, 'tool_calls'),
  ]);
  expect(message.parts).toMatchObject([{ type: 'tool_call', name: 'patch', freeform: true, arguments: '*** Begin' }]);
});

it('an error inside a choice is a failure', () => {
  const error = { code: 502, message: 'Provider returned error' };
  const { ending } = read([{ choices: [{ delta: { content: 'So' }, error, finish_reason: 'error' }] }]);
  expect(ending).toEqual({ reason: 'failed', error: { error } });
});

it('a server that names no reason has ended when it says that it is done', () => {
  const decoder = createChatDecoder({ newId: counter() });
  decoder.read(chunk({ content: 'Yes' }));
  expect(decoder.ending()).toBeUndefined();
  decoder.close?.();
  expect(decoder.ending()).toEqual({ reason: 'stop' });
});

it('a call that is still being written when the stream breaks is left out', () => {
  const { message } = read([
    chunk({ content: 'Look.' }),
    chunk({ tool_calls: [call('a', 'read', '{"n":1}', 0)] }),
    chunk({ tool_calls: [call('b', 'read', '{"n', 1)] }),
  ]);
  expect(message.parts).toMatchObject([{ type: 'text' }, { type: 'tool_call', id: 'a' }]);
  expect(message.parts).toHaveLength(2);
});

it('a refusal is one, although its end is called a stop', () => {
  const { ending } = read([chunk({ refusal: 'I will ' }), chunk({ refusal: 'not.' }, 'stop')]);
  expect(ending).toEqual({ reason: 'refused' });
});

it('pieces without an index and an id go on with the call before them', () => {
  const { message } = read([
    chunk({ tool_calls: [call('a', 'read', '{"n"')] }),
    chunk({ tool_calls: [{ function: { arguments: ':1}' } }] }, 'tool_calls'),
  ]);
  expect(message.parts).toMatchObject([{ type: 'tool_call', id: 'a', name: 'read', arguments: '{"n":1}' }]);
});
