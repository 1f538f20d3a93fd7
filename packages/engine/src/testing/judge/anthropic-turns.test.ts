import { describe, expect, it } from 'vitest';
import { assistant, body, call, hello, loop, result, system, text, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'begins with the user',
    legal: body(hello),
    illegal: body([assistant('hi'), user('hi')]),
    message: 'first message must use the "user" role',
    path: 'messages[0]',
  },
  {
    rule: 'combines neighbors of one role before pairing',
    legal: body([user('hi'), assistant([call('a')]), assistant([call('b')]), user([result('a')]), user([result('b')])]),
    illegal: body([user('hi'), assistant([call('a')]), assistant([call('b')]), user([result('b')])]),
    message: 'without `tool_result` blocks immediately after: a.',
    path: 'messages[1]',
  },
  {
    rule: 'has no system message at the front',
    legal: body([user('hi'), system('new rule')]),
    illegal: body([system('rule'), user('hi')]),
    message: "messages.0: use the top-level 'system' parameter",
    path: 'messages[0]',
  },
  {
    rule: 'lets a system message follow a user turn only',
    legal: body([user('hi'), system('x'), assistant('ok'), user('go')]),
    illegal: body([user('hi'), assistant('ok'), system('x')]),
    message: "messages.2: role 'system' must follow a 'user' message",
    path: 'messages[2]',
  },
  {
    rule: 'wants an assistant turn behind a system message',
    legal: body([user('hi'), system('x'), assistant('ok'), user('go')]),
    illegal: body([user('hi'), system('x'), user('go')]),
    message: "messages.1: role 'system' must precede an 'assistant' message or end the array",
    path: 'messages[1]',
  },
  {
    rule: 'has no two system messages in a row',
    legal: body([user('hi'), system('x')]),
    illegal: body([user('hi'), system('x'), system('y')]),
    message: "role 'system' must precede",
    path: 'messages[1]',
  },
  {
    rule: 'has no system message between call and result',
    legal: body([...loop, system('x')]),
    illegal: body([user('hi'), assistant([call('a')]), system('x'), user([result('a')])]),
    message: "role 'system' must follow",
    path: 'messages[2]',
  },
  {
    rule: 'accepts a directive anywhere, but not an empty system message',
    legal: body([{ ...system([]), output_config: { effort: 'low' } }, user('hi')]),
    illegal: body([user('hi'), system([])]),
    message: 'all messages must have non-empty content',
    path: 'messages[1]',
  },
  {
    rule: 'refuses system messages for older models',
    legal: body(hello),
    illegal: body([user('hi'), system('x')]),
    options: { allowSystemTurns: false },
    message: 'The Messages API accepts a top-level `system` parameter',
    path: 'messages[1]',
  },
  {
    rule: 'refuses empty content but for a final assistant message where one may stand',
    legal: body([user('hi'), assistant([])]),
    options: { allowPrefill: true },
    illegal: body([user('hi'), assistant([]), user('go')]),
    message: 'messages.1: all messages must have non-empty content',
    path: 'messages[1]',
  },
  {
    rule: 'refuses prefill',
    legal: body([user('hi'), assistant('ok'), user('go')]),
    illegal: body([user('hi'), assistant('The')]),
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    path: 'messages[1]',
  },
  {
    rule: 'refuses trailing whitespace of an allowed prefill',
    legal: body([user('hi'), assistant('The')]),
    illegal: body([user('hi'), assistant('The ')]),
    options: { allowPrefill: true },
    message: 'final assistant content cannot end with trailing whitespace',
    path: 'messages[1]',
  },
  {
    rule: 'lets a paused server tool be continued, but not text',
    legal: body([
      user('hi'),
      assistant([{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }]),
    ]),
    illegal: body([user('hi'), assistant([text('so')])]),
    message: 'assistant message prefill',
    path: 'messages[1]',
  },
];

describe('the Anthropic judge on turns', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
