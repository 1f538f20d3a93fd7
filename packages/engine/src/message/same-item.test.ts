import { describe, expect, it } from 'vitest';
import { sameItem } from './same-item.ts';

const marked = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } };

describe('sameItem', () => {
  it.each([
    ['a cache marker', { role: 'user', content: [marked] }, { role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ['a string and one text block', { role: 'user', content: 'hi' }, { role: 'user', content: [marked] }],
    ['the order of members', { role: 'user', content: 'hi' }, { content: 'hi', role: 'user' }],
    [
      'a marker inside a tool result',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x', cache_control: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'x' }] }] },
    ],
    [
      'a Responses text and a string',
      { type: 'message', role: 'user', content: 'hi' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ],
  ])('looks past %s', (_, a, b) => {
    expect(sameItem(a, b)).toBe(true);
  });

  it.each([
    ['another text', { role: 'user', content: 'hi' }, { role: 'user', content: 'ho' }],
    ['another role', { role: 'user', content: 'hi' }, { role: 'assistant', content: 'hi' }],
    ['one more member', { role: 'user', content: 'hi' }, { role: 'user', content: 'hi', name: 'x' }],
    [
      'another order of blocks',
      { content: [{ type: 'a' }, { type: 'b' }] },
      { content: [{ type: 'b' }, { type: 'a' }] },
    ],
    [
      'a cache_control that is an argument of a call',
      { content: [{ type: 'tool_use', input: { cache_control: 1 } }] },
      { content: [{ type: 'tool_use', input: {} }] },
    ],
  ])('sees %s', (_, a, b) => {
    expect(sameItem(a, b)).toBe(false);
  });
});
