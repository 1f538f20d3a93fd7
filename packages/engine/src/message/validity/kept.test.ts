import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { codecs } from '../codecs/index.ts';
import { readConversation } from '../document.ts';
import type { Dialect, Message } from '../message.ts';
import { check } from './check.ts';
import { repair } from './repair.ts';

const user = (content: Json): Json => ({ role: 'user', content });
const says = (content: Json, more: object = {}): Json => ({ role: 'assistant', content, ...more });
const decode = (dialect: Dialect, ...items: Json[]) => codecs[dialect].decode(items);
const codes = (list: readonly Message[], dialect: Dialect) => check(list, dialect).map(({ code }) => code);
const tool = (id: string): Json => ({ type: 'tool_use', id, name: 'ls', input: {} });
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

describe('repair keeps what providers take', () => {
  it('an answer that is a refusal, and carries it to a dialect that writes it elsewhere', () => {
    const list = decode('openai-chat', user('a'), says(null, { refusal: 'I cannot.' }), user('b'));
    expect(codes(list, 'openai-chat')).toEqual([]);
    expect(JSON.stringify(codecs['openai-responses'].encode(list))).toContain('I cannot.');
  });

  it("a turn paused by the provider's own tool", () => {
    const paused = says([
      { type: 'text', text: 'x' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    ]);
    expect(codes(decode('anthropic', user('a'), paused), 'anthropic')).toEqual([]);
  });

  it('a result whose call the server holds', () => {
    const output = { type: 'function_call_output', call_id: 'c', output: 'x' };
    const { conversation, rules } = readConversation({ value: { previous_response_id: 'resp_1', input: [output] } });
    expect(check(conversation.messages, 'openai-responses', rules)).toEqual([]);
    expect(codes(decode('openai-responses', { id: 'fc_1' }, output), 'openai-responses')).toEqual([]);
  });

  it('the results that are there, with all their members, where only one is missing', () => {
    const calls = ['1', '2'].map((id) => ({ id, type: 'function', function: { name: 'ls', arguments: '{}' } }));
    const there = { role: 'tool', tool_call_id: '1', content: 'ok', name: 'ls' };
    const { messages } = repair(
      decode('openai-chat', user('a'), says(null, { tool_calls: calls }), there),
      'openai-chat',
    );
    expect(codecs['openai-chat'].encode(messages).slice(2)).toEqual([
      there,
      { role: 'tool', tool_call_id: '2', content: 'no result recorded' },
    ]);
  });
});

describe('repair mends what they do not', () => {
  it('a list cut inside a tool loop: everything before the next question goes at once', () => {
    const loop = Array.from({ length: 500 }, (_, n) => [says([tool(`${n}`)]), user([result(`${n}`)])]).flat();
    const { messages, repairs } = repair(decode('anthropic', ...loop, user('now?')), 'anthropic');
    expect(messages).toHaveLength(1);
    expect(repairs.filter(({ code }) => code === 'not-opened-by-user')).toHaveLength(999);
  });

  it('an empty text that only its own provider takes for signed', () => {
    const model = { role: 'model', parts: [{ text: 'hello' }, { text: '', thoughtSignature: 'x' }] };
    const list = decode('gemini', { role: 'user', parts: [{ text: 'a' }] }, model, {
      role: 'user',
      parts: [{ text: 'b' }],
    });
    expect(codes(list, 'gemini')).toEqual([]);
    expect(codes(list, 'anthropic')).toEqual(['empty-text']);
  });

  it('calls of another model for Gemini 3, also behind words of the same answer', () => {
    const list = decode(
      'openai-responses',
      user('a'),
      says([{ type: 'output_text', text: 'Looking.' }]),
      { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    );
    expect(JSON.stringify(codecs.gemini.encode(list))).toContain('skip_thought_signature_validator');
    expect(check(list, 'gemini', { signedCalls: true })).toEqual([]);
  });

  it('a system message at the head of an Anthropic list', () => {
    const list = decode('anthropic', { role: 'system', content: 'x' }, user('y'));
    expect(codes(list, 'anthropic')).toEqual(['misplaced-system']);
    expect(check(repair(list, 'anthropic').messages, 'anthropic')).toEqual([]);
  });

  it('an error that says nothing', () => {
    const error = { type: 'tool_result', tool_use_id: '1', is_error: true, content: ' ' };
    const list = decode('anthropic', user('a'), says([tool('1')]), user([error]));
    expect(codes(list, 'anthropic')).toEqual(['empty-result']);
    const items = codecs.anthropic.encode(repair(list, 'anthropic').messages);
    expect(items[2]).toMatchObject({ content: [{ is_error: true, content: [{ text: 'no result recorded' }] }] });
  });

  it('what agents log with an answer and providers reject', () => {
    const logged = says([{ type: 'text', text: 'x' }], { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } });
    const list = decode('anthropic', user('a'), logged, user('b'));
    expect(codes(list, 'anthropic')).toEqual(['refused-member']);
    expect(codecs.anthropic.encode(repair(list, 'anthropic').messages)[1]).toEqual(says([{ type: 'text', text: 'x' }]));
  });

  it.each([
    ['openai-chat', { role: 'wizard', content: 'x' }],
    ['openai-chat', { foo: 1 }],
    ['openai-chat', null],
    ['anthropic', { role: 'tool', content: 'x' }],
    ['openai-responses', { type: 'wat' }],
    ['gemini', { role: 'user', content: 'x' }],
  ] as const)('%s: an entry that is no message at all: %j', (dialect, junk) => {
    const hello: Json = dialect === 'gemini' ? { role: 'user', parts: [{ text: 'a' }] } : user('a');
    const list = decode(dialect, hello, junk);
    expect(codes(list, dialect)).toContain('not-a-message');
    expect(codecs[dialect].encode(repair(list, dialect).messages)).toEqual([hello]);
  });

  it('an unknown provider is a typed error', () => {
    expect(() => check([], 'openai' as Dialect)).toThrowError(expect.objectContaining({ code: 'unknown-provider' }));
  });

  it('reports problems in the order of messages, then of parts', () => {
    const list = decode(
      'anthropic',
      user([
        { type: 'text', text: ' ' },
        { type: 'text', text: '' },
      ]),
      user([{ type: 'text', text: '' }]),
    );
    const places = check(list, 'anthropic').map(({ at }) => [at.message, at.part]);
    expect(places).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  it('too many cache marks, the oldest first', () => {
    const marked = (text: string) => user([{ type: 'text', text, cache_control: { type: 'ephemeral' } }]);
    const list = decode('anthropic', ...['a', 'b', 'c', 'd', 'e'].map(marked));
    expect(check(list, 'anthropic').map(({ at }) => at)).toEqual([{ message: 0, part: 0 }]);
    expect(repair(list, 'anthropic').messages.filter(({ parts }) => parts[0]?.cache)).toHaveLength(4);
  });
});
