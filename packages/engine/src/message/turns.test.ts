import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { codecs } from './codecs/index.ts';
import { turns } from './turns.ts';

const user = (content: string): Json => ({ role: 'user', content });
const says = (content: string): Json => ({ role: 'assistant', content });
const calls = (...ids: string[]): Json => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'ls', arguments: '{}' } })),
});
const answers = (id: string): Json => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const of = (...items: Json[]) => turns(codecs['openai-chat'].decode(items));

describe('turns and rounds', () => {
  it('has none in an empty list', () => {
    expect(of()).toEqual([]);
  });

  it('opens a turn at each human message, and puts the head into the first', () => {
    expect(of({ role: 'system', content: 's' }, user('a'), says('b'), user('c'), says('d'))).toEqual([
      { start: 0, end: 3, rounds: [{ start: 2, results: 3, end: 3 }] },
      { start: 3, end: 5, rounds: [{ start: 4, results: 5, end: 5 }] },
    ]);
  });

  it('counts an answer with the results of its calls as one round', () => {
    const [turn] = of(user('a'), calls('1', '2'), answers('1'), answers('2'), calls('3'), answers('3'), says('done'));
    expect(turn?.rounds).toEqual([
      { start: 1, results: 2, end: 4 },
      { start: 4, results: 5, end: 6 },
      { start: 6, results: 7, end: 7 },
    ]);
  });

  it('takes consecutive answers and consecutive user messages for one', () => {
    const list = of(user('a'), user('b'), says('x'), calls('1'), answers('1'));
    expect(list).toEqual([{ start: 0, end: 5, rounds: [{ start: 2, results: 4, end: 5 }] }]);
  });

  it('never separates a call from its result, whatever is next to the result (Claude Code puts reminders there)', () => {
    const text = (value: string) => ({ type: 'text', text: value });
    const list = turns(
      codecs.anthropic.decode([
        { role: 'user', content: 'fix it' },
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'ls', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: '1' },
            text('and hurry'),
            text('<system-reminder>x</system-reminder>'),
          ],
        },
        { role: 'user', content: '<system-reminder>y</system-reminder>' },
        { role: 'assistant', content: 'done' },
        { role: 'user', content: '<system-reminder>z</system-reminder>' },
        { role: 'user', content: 'thanks' },
      ]),
    );
    expect(list).toEqual([
      {
        start: 0,
        end: 5,
        rounds: [
          { start: 1, results: 2, end: 3 },
          { start: 4, results: 5, end: 5 },
        ],
      },
      { start: 5, end: 7, rounds: [] },
    ]);
  });

  it('begins a turn at a list that starts in the middle', () => {
    expect(of(says('x'), user('a'))).toHaveLength(2);
  });
});
