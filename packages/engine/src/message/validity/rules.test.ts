import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { codecs } from '../codecs/index.ts';
import type { Dialect, Message } from '../message.ts';
import { check } from './check.ts';
import { repair } from './repair.ts';
import type { ValidityRules } from './rules.ts';

const anthropic = (...items: Json[]) => codecs.anthropic.decode(items);
const gemini = (...items: Json[]) => codecs.gemini.decode(items);
const says = (role: string, ...content: Json[]): Json => ({ role, content });
const text = (value: string): Json => ({ type: 'text', text: value });
const tool = (id: string): Json => ({ type: 'tool_use', id, name: 'ls', input: {} });
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

const codes = (list: readonly Message[], dialect: Dialect, overrides?: Partial<ValidityRules>) =>
  check(list, dialect, overrides).map(({ code }) => code);

describe('rules of Anthropic', () => {
  it('takes a system message in the list only between a user turn and an answer', () => {
    const system = says('system', text('plan mode'));
    expect(codes(anthropic(says('user', text('a')), system), 'anthropic')).toEqual([]);
    expect(codes(anthropic(says('user', text('a')), system, says('user', text('b'))), 'anthropic')).toEqual([
      'misplaced-system',
    ]);
    const torn = anthropic(says('user', text('a')), says('assistant', tool('1')), system, says('user', result('1')));
    expect(codes(torn, 'anthropic')).toContain('misplaced-system');
    // Once the result is back at its call, the system message stands where it may.
    expect(repair(torn, 'anthropic').messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'system']);
    const { messages } = repair(anthropic(says('user', text('a')), system, says('user', text('b'))), 'anthropic');
    expect(JSON.stringify(codecs.anthropic.encode(messages))).toContain('<system-reminder>\\nplan mode');
  });

  it('wants results in front of words in the user turn', () => {
    const list = anthropic(says('user', text('a')), says('assistant', tool('1')), says('user', text('b'), result('1')));
    expect(codes(list, 'anthropic')).toEqual(['misplaced-result']);
    expect(repair(list, 'anthropic').messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('joins user messages before it looks, so a steering message behind the results is fine', () => {
    const list = anthropic(
      says('user', text('a')),
      says('assistant', tool('1')),
      says('user', result('1')),
      says('user', text('b')),
    );
    expect(codes(list, 'anthropic')).toEqual([]);
  });

  it('wants reasoning never last, and first where the caller budgets it', () => {
    const thinking: Json = { type: 'thinking', thinking: 'hm', signature: 's' };
    const answer = (...content: Json[]) =>
      anthropic(says('user', text('a')), says('assistant', ...content), says('user', text('b')));
    expect(codes(answer(thinking, text('ok')), 'anthropic')).toEqual([]);
    expect(codes(answer(text('ok'), thinking, text('ok')), 'anthropic')).toEqual([]);
    const late = answer(text('ok'), thinking, text('ok'));
    expect(codes(late, 'anthropic', { thinkingFirst: true })).toEqual(['misplaced-thinking']);
    expect(
      codes(repair(late, 'anthropic', { thinkingFirst: true }).messages, 'anthropic', { thinkingFirst: true }),
    ).toEqual([]);
    expect(codes(answer(thinking), 'anthropic')).toEqual(['trailing-thinking']);
  });

  it('with thinking on, wants it at the start of the answer whose calls are being worked on', () => {
    const list = anthropic(says('user', text('a')), says('assistant', tool('1')), says('user', result('1')));
    expect(codes(list, 'anthropic')).toEqual([]);
    expect(codes(list, 'anthropic', { opensWithThinking: true })).toEqual(['missing-thinking']);
  });

  it('wants call ids in its own form; call and result are renamed together', () => {
    const list = codecs['openai-responses'].decode([
      says('user', { type: 'input_text', text: 'a' }),
      { type: 'function_call', call_id: 'call_1|fc_1', name: 'ls', arguments: '{}' },
      { type: 'function_call', call_id: 'call_1:fc_1', name: 'ls', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1:fc_1', output: 'second' },
      { type: 'function_call_output', call_id: 'call_1|fc_1', output: 'first' },
    ]);
    const { messages } = repair(list, 'anthropic');
    const [one, two] = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])),
    );
    const answered = new Map(
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part.content]] : [])),
      ),
    );
    expect(answered.get(one ?? '')).toMatchObject([{ text: 'first' }]);
    expect(answered.get(two ?? '')).toMatchObject([{ text: 'second' }]);
  });

  it('drops what it does not take: blank texts, vector images, an answer before any question', () => {
    const svg: Json = { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: 'aGk=' } };
    const list = anthropic(says('assistant', text('hello')), says('user', text('a'), text(' \n'), svg));
    expect(codes(list, 'anthropic')).toEqual(['not-opened-by-user', 'empty-text', 'unsupported-media']);
    expect(codecs.anthropic.encode(repair(list, 'anthropic').messages)).toEqual([says('user', text('a'))]);
  });

  it('says that there is nothing to send, and does not invent a message', () => {
    expect(codes([], 'anthropic')).toEqual(['nothing-to-send']);
    expect(repair(anthropic(says('assistant', text('a'))), 'anthropic').messages).toEqual([]);
  });
});

describe('rules of the others', () => {
  it('Chat Completions: results follow the very message that called', () => {
    const list = codecs.anthropic.decode([
      says('user', text('a')),
      says('assistant', tool('1')),
      says('assistant', tool('2')),
      says('user', result('1'), result('2')),
    ]);
    expect(codes(list, 'anthropic')).toEqual([]);
    expect(codes(list, 'openai-chat')).toEqual(['misplaced-result']);
    expect(repair(list, 'openai-chat').messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
  });

  it('Responses: reasoning must be followed by what it led to', () => {
    const reasoning: Json = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'g' };
    const list = (...items: Json[]) => codecs['openai-responses'].decode([{ role: 'user', content: 'a' }, ...items]);
    expect(codes(list(reasoning, { role: 'assistant', content: 'b' }), 'openai-responses')).toEqual([]);
    expect(codes(list(reasoning), 'openai-responses')).toEqual(['trailing-thinking']);
  });

  it('Gemini 3: calls of the current turn must be signed, and a stand-in will do', () => {
    const call: Json = { role: 'model', parts: [{ functionCall: { id: '1', name: 'ls', args: {} } }] };
    const answer: Json = {
      role: 'user',
      parts: [{ functionResponse: { id: '1', name: 'ls', response: { output: 'x' } } }],
    };
    const list = gemini({ role: 'user', parts: [{ text: 'a' }] }, call, answer);
    expect(codes(list, 'gemini')).toEqual([]);
    expect(codes(list, 'gemini', { signedCalls: true })).toEqual(['unsigned-call']);
    const { messages } = repair(list, 'gemini', { signedCalls: true });
    expect(JSON.stringify(codecs.gemini.encode(messages))).toContain('skip_thought_signature_validator');
  });

  it('ids that a model numbers anew in every answer find their own results', () => {
    const round = (output: string): Json[] => [
      says('assistant', { ...(tool('functions_bash_0') as object) } as Json),
      says('user', { type: 'tool_result', tool_use_id: 'functions_bash_0', content: output }),
    ];
    const list = anthropic(says('user', text('a')), ...round('one'), ...round('two'));
    expect(codes(list, 'openai-chat')).toEqual([]);
    expect(codes(list, 'anthropic')).toEqual(['duplicate-call']);
    const items = codecs.anthropic.encode(repair(list, 'anthropic').messages);
    expect(items[4]).toMatchObject({ content: [{ tool_use_id: 'functions_bash_0_2', content: 'two' }] });
  });
});
