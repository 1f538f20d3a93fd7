import { expect, test } from 'vitest';
import type { Message } from '../message.ts';
import { repairSoFar } from './repair-so-far.ts';

const said = (role: 'user' | 'assistant', text: string): Message => ({
  role,
  parts: [{ type: 'text', origin: role === 'user' ? 'human' : 'model', text }],
});

test('a conversation that ends with an answer is valid, and nothing is added', () => {
  const messages = [said('user', 'Hi.'), said('assistant', 'Hello.')];
  expect(repairSoFar(messages, 'anthropic')).toEqual({ messages, repairs: [] });
});

test('what is wrong before the answer is mended', () => {
  const messages = [
    said('user', 'Hi.'),
    said('assistant', ''),
    said('user', 'Still there?'),
    said('assistant', 'Yes.'),
  ];
  const { messages: mended, repairs } = repairSoFar(messages, 'anthropic');
  expect(repairs.length).toBeGreaterThan(0);
  expect(mended.at(-1)).toEqual(messages.at(-1));
  expect(JSON.stringify(mended)).not.toContain('next');
});
