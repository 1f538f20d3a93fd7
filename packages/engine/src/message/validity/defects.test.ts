import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { codecs } from '../codecs/index.ts';
import { type Dialect, dialects, type Message } from '../message.ts';
import { check } from './check.ts';
import type { ProblemCode } from './problem.ts';
import { repair } from './repair.ts';

const user = (content: string): Json => ({ role: 'user', content });
const calls = (...ids: string[]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'ls', arguments: '{}' } })),
});
const answer = (id: string, content = 'ok'): Json => ({ role: 'tool', tool_call_id: id, content });
const chat = (...items: Json[]) => codecs['openai-chat'].decode(items);

const codes = (messages: readonly Message[], dialect: Dialect): ProblemCode[] =>
  check(messages, dialect).map((problem) => problem.code);
const mended = (messages: readonly Message[], dialect: Dialect) => {
  const { messages: list, repairs } = repair(messages, dialect);
  expect(check(list, dialect)).toEqual([]);
  return { items: codecs[dialect].encode(list), repairs: repairs.map(({ code }) => code) };
};

describe.each(dialects)('tool messages as VS Code Copilot Chat validates them, for %s', (dialect) => {
  it('noPreviousAssistantMessage: a result before any answer is dropped and said so', () => {
    const list = chat(user('a'), answer('x'), user('b'));
    expect(codes(list, dialect)).toEqual(['orphaned-result']);
    expect(mended(list, dialect).repairs).toEqual(['orphaned-result']);
  });

  it('noToolCalls: a result after an answer without calls is dropped and said so', () => {
    const list = chat(user('a'), { role: 'assistant', content: 'hm' }, answer('x'), user('b'));
    expect(codes(list, dialect)).toEqual(['orphaned-result']);
  });

  it('an id that is not among the calls is reported (there it was dropped silently, without a reason)', () => {
    const list = chat(user('a'), calls('1'), answer('1'), answer('2'), user('b'));
    expect(codes(list, dialect)).toEqual(['orphaned-result']);
    expect(mended(list, dialect).repairs).toEqual(['orphaned-result']);
  });

  it('a user message between call and result is moved behind it where the provider wants that', () => {
    const list = chat(user('a'), calls('1'), user('wait'), answer('1'));
    const isFree = dialect === 'openai-responses';
    expect(codes(list, dialect)).toEqual(isFree ? [] : ['misplaced-result']);
    expect(JSON.stringify(mended(list, dialect).items)).toContain('wait');
  });

  it('a second result for one id is detected (there it was not)', () => {
    const list = chat(user('a'), calls('1'), answer('1'), answer('1', 'again'), user('b'));
    expect(codes(list, dialect)).toEqual(['duplicate-result']);
    const { items } = mended(list, dialect);
    expect(JSON.stringify(items)).toContain('ok');
    expect(JSON.stringify(items)).not.toContain('again');
  });

  it('a call without a result keeps its place and gets the fixed one (there it was stripped, for Gemini only)', () => {
    const list = chat(user('a'), calls('1', '2'), answer('2'), user('b'));
    expect(codes(list, dialect)).toEqual(['unanswered-call']);
    const { items, repairs } = mended(list, dialect);
    expect(repairs).toEqual(['unanswered-call']);
    expect(JSON.stringify(items)).toContain('no result recorded');
  });

  it('an answer that lost all its parts is not kept as an empty message', () => {
    const list: Message[] = [...chat(user('a')), { role: 'assistant', parts: [] }, ...chat(user('b'))];
    expect(codes(list, dialect)).toEqual(['empty-message']);
    expect(mended(list, dialect).items).toHaveLength(2);
  });

  it('results of parallel calls may come in any order', () => {
    expect(codes(chat(user('a'), calls('1', '2'), answer('2'), answer('1')), dialect)).toEqual([]);
  });
});

describe('defects of pi and Copilot CLI that concern messages', () => {
  it('pi #11227: an unpaired tool result after an omission', () => {
    const list = chat(user('a'), calls('1'), answer('1'), user('b'));
    const omitted = list.filter((_, index) => index !== 1);
    for (const dialect of dialects) expect(mended(omitted, dialect).repairs).toEqual(['orphaned-result']);
  });

  it('pinet #941: an orphan result recorded during a compaction makes no request fail for ever', () => {
    const list = chat(user('a'), answer('lost'), calls('1'), answer('1'), user('b'));
    for (const dialect of dialects) expect(JSON.stringify(mended(list, dialect).items)).not.toContain('lost');
  });

  it('pi #6074: a list that ends with an answer is not sent to a provider that cannot continue from one', () => {
    const list = chat(user('a'), { role: 'assistant', content: 'done' });
    expect(codes(list, 'anthropic')).toEqual(['trailing-assistant']);
    expect(codes(list, 'gemini')).toEqual(['trailing-assistant']);
    expect(codes(list, 'openai-chat')).toEqual([]);
    expect(check(list, 'anthropic', { endsWithAssistant: true })).toEqual([]);
  });

  it('copilot-cli #2496: calls and results split by a cut', () => {
    const list = chat(user('a'), calls('1', '2'), answer('1'), answer('2'), user('b'));
    for (const dialect of dialects) {
      for (let cut = 1; cut < list.length; cut += 1) mended(list.slice(cut), dialect);
      for (let cut = 1; cut < list.length; cut += 1) mended(list.slice(0, cut), dialect);
    }
  });

  it('copilot-cli: half a surrogate pair in a text, and one escaped in arguments', () => {
    const list: Message[] = [
      { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'a \ud83d b' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', origin: 'model', id: '1', name: 'w', arguments: '{"t":"\\ud83d"}' }],
      },
      ...chat(answer('1')),
    ];
    for (const dialect of dialects) {
      expect(codes(list, dialect)).toEqual(['lone-surrogate', 'lone-surrogate']);
      expect(JSON.stringify(mended(list, dialect).items)).not.toMatch(/\\ud83d/i);
    }
  });

  it('copilot-cli: thinking signed by one provider does not reach another, and unsigned thinking not its own', () => {
    const thinking = (signature?: string): Json => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', ...(signature !== undefined && { signature }) },
        { type: 'text', text: 'ok' },
      ],
    });
    const list = (item: Json) => codecs.anthropic.decode([user('a'), item, user('b')]);
    expect(codes(list(thinking('EqQB')), 'anthropic')).toEqual([]);
    expect(codes(list(thinking()), 'anthropic')).toEqual(['unsigned-thinking']);
    expect(codes(list(thinking('')), 'anthropic')).toEqual(['unsigned-thinking']);
    expect(codes(list(thinking('EqQB')), 'openai-responses')).toEqual([]);
  });
});
