import { describe, expect, test } from 'vitest';
import type { Message, Part, Role } from '../message/index.ts';
import { addCounts, countEntry, type EntryCounts, noCounts } from './counts.ts';
import type { Draft, Entry } from './entry/entry.ts';

const text = (said: string, origin: Part['origin'] = 'human'): Part => ({ type: 'text', origin, text: said });
const thinking: Part = { type: 'thinking', origin: 'model', text: 'Hm.' };
const image: Part = { type: 'image', origin: 'human', source: { kind: 'url', url: 'https://example.com/a.png' } };
const call: Part = { type: 'tool_call', origin: 'model', id: 'c1', name: 'ls', arguments: '{}' };
const opaque = (kind: string): Part => ({
  type: 'opaque',
  origin: 'model',
  dialect: 'openai-responses',
  kind,
  value: {},
});

const entryOf = (draft: Draft): Entry =>
  ({ v: 1, id: 'e1', parentId: null, handle: 1, at: 0, epoch: null, ...draft }) as Entry;
const countTokens = ({ parts }: Message) =>
  parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);

/** The counts that are not 0, without `entries`, which is always 1. */
function counted(draft: Draft): Partial<EntryCounts> {
  const { entries, ...counts } = countEntry({ entry: entryOf(draft), countTokens });
  expect(entries).toBe(1);
  return Object.fromEntries(Object.entries(counts).filter(([, amount]) => amount !== 0));
}
const said = (role: Role, ...parts: Part[]) => counted({ type: 'message', message: { role, parts } });

describe('messages are texts', () => {
  test('of people, of models and of clients', () => {
    expect(said('user', text('Hi.'))).toEqual({ messages: 1, tokens: 3 });
    expect(said('assistant', text('Hi.', 'model'))).toEqual({ messages: 1, tokens: 3 });
    expect(said('user', text('Hi.', 'engine'))).toEqual({ messages: 1, tokens: 3 });
    const parts = [text('Hi.', 'engine')];
    expect(counted({ type: 'custom_message', customType: 'x', parts, display: true })).toEqual({
      messages: 1,
      tokens: 3,
    });
  });

  test('one text, however many parts and images it has', () => {
    expect(said('user', text('See '), image, text('this'), text('!', 'engine')).messages).toBe(1);
  });

  test('two where an answer thinks or calls between them', () => {
    expect(said('assistant', text('a', 'model'), thinking, text('b', 'model'), call)).toEqual({
      messages: 2,
      thinking: 1,
      toolCalls: 1,
      tokens: 5,
    });
  });

  test('not calls, not results, not what says nothing', () => {
    expect(said('assistant', call)).toEqual({ toolCalls: 1 });
    expect(said('assistant', text('', 'model'), call).messages).toBeUndefined();
  });

  test('not system prompts and summaries, whose tokens count', () => {
    expect(said('system', text('Be good.', 'engine'))).toEqual({ tokens: 8 });
    expect(
      counted({ type: 'compaction', summary: 'So far.', firstKeptId: null, tokensBefore: 1, trigger: 'auto' }),
    ).toEqual({ tokens: 7 });
    expect(counted({ type: 'branch_summary', fromId: null, summary: 'Left.' })).toEqual({ tokens: 5 });
  });
});

describe('calls and results', () => {
  test('pictures in results count', () => {
    const inner = [{ ...image, origin: 'tool' }, text('ok', 'tool')] as never;
    expect(said('tool', { type: 'tool_result', origin: 'tool', callId: 'c1', content: inner })).toEqual({
      toolResults: 1,
      images: 1,
    });
  });

  test('tools that a provider runs itself', () => {
    expect(said('assistant', opaque('web_search_call'), opaque('server_tool_use'))).toEqual({ toolCalls: 2 });
    expect(said('assistant', opaque('web_search_tool_result'), opaque('tool_search_output'))).toEqual({
      toolResults: 2,
    });
    expect(said('assistant', opaque('compaction'))).toEqual({});
  });

  test('a command that a person ran is a call, and its output the result', () => {
    expect(said('user', text('Ran `ls`'), text('a.txt', 'tool'))).toMatchObject({ toolCalls: 1, toolResults: 1 });
    expect(said('user', text('Ran `ls`'), text('a.txt', 'tool')).messages).toBeUndefined();
  });

  test('output that no model and no person called for is a result without a call', () => {
    expect(said('user', text('3 files changed', 'tool'))).toEqual({ toolResults: 1, tokens: 15 });
  });
});

test('counts add up', () => {
  const one = countEntry({ entry: entryOf({ type: 'label', target: 'e0', label: 'x' }), countTokens });
  const two = countEntry({
    entry: entryOf({
      type: 'message',
      message: { role: 'assistant', parts: [thinking, text('a', 'model'), image, call] },
    }),
    countTokens,
  });
  expect([one, two, two].reduce(addCounts, noCounts)).toEqual({
    entries: 3,
    messages: 2,
    toolCalls: 2,
    toolResults: 0,
    thinking: 2,
    images: 2,
    tokens: 8,
  });
});
