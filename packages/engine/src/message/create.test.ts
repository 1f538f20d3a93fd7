import { expect, test } from 'vitest';
import { assistant, system, toolResult, user } from './create.ts';
import { check } from './validity/check.ts';

test('messages from text carry the origin of their role', () => {
  const origins = [system('s'), user('u'), user('r', { origin: 'engine' }), assistant('a')].map(
    ({ role, parts }) => [role, parts.map(({ origin }) => origin)] as const,
  );
  expect(origins).toEqual([
    ['system', ['engine']],
    ['user', ['human']],
    ['user', ['engine']],
    ['assistant', ['model']],
  ]);
});

test('a tool result answers its call', () => {
  const call = { type: 'tool_call', origin: 'model', id: 'c1', name: 'test', arguments: '{}' } as const;
  const result = toolResult({ callId: 'c1', text: '1 failed', isError: true });
  expect(result.parts).toMatchObject([{ callId: 'c1', isError: true }]);
  const messages = [user('Run the tests'), { role: 'assistant', parts: [call] } as const, result];
  expect(check(messages, 'anthropic')).toEqual([]);
});
