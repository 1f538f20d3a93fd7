import { describe, expect, it } from 'vitest';
import { assistant, body, call, hello, result, text, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'needs a model',
    legal: body(hello),
    illegal: { max_tokens: 1, messages: hello },
    message: 'model: Field required',
    path: 'model',
  },
  {
    rule: 'needs max_tokens',
    legal: body(hello),
    illegal: { model: 'm', messages: hello },
    message: 'max_tokens: Field required',
    path: 'max_tokens',
  },
  {
    rule: 'needs messages',
    legal: body(hello),
    illegal: { model: 'm', max_tokens: 1 },
    message: 'messages: Field required',
    path: 'messages',
  },
  {
    rule: 'needs at least one message',
    legal: body(hello),
    illegal: body([]),
    message: 'messages: at least one message is required',
    path: 'messages',
  },
  {
    rule: 'refuses half a surrogate pair',
    legal: body([user('😀')]),
    illegal: body([user('\ud83d')]),
    message: 'The request body is not valid JSON: no low surrogate in string',
    path: 'messages[0].content',
  },
  {
    rule: 'refuses half a surrogate pair deep in an input',
    legal: body([user('x'), assistant([call('a', { input: { p: ['ok'] } })]), user([result('a')])]),
    illegal: body([user('x'), assistant([call('a', { input: { p: ['\ude00'] } })]), user([result('a')])]),
    message: 'no low surrogate',
    path: 'messages[1].content[0].input.p[0]',
  },
  {
    rule: 'knows three roles',
    legal: body(hello),
    illegal: body([{ role: 'tool', content: 'x' }]),
    message: 'Unexpected role "tool"',
    path: 'messages[0]',
  },
  {
    rule: 'refuses unknown fields of a message',
    legal: body(hello),
    illegal: body([{ ...user('hi'), id: 'msg_1' }]),
    message: 'messages.0.id: Extra inputs are not permitted',
    path: 'messages[0]',
  },
  {
    rule: 'refuses unknown fields of a block',
    legal: body([user([text('hi', { citations: null })])]),
    illegal: body([user([text('hi', { origin: 'human' })])]),
    message: 'messages.0.content.0.text.origin: Extra inputs are not permitted',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'refuses unknown block types',
    legal: body([user([text('hi')])]),
    illegal: body([user([{ type: 'input_text', text: 'hi' }])]),
    message: "Input tag 'input_text' found using 'type'",
    path: 'messages[0].content[0]',
  },
  {
    rule: 'wants a system prompt with text',
    legal: body(hello, { system: [text('be brief')] }),
    illegal: body(hello, { system: [text('')] }),
    message: 'system: text content blocks must be non-empty',
    path: 'system[0]',
  },
];

describe('the Anthropic judge on requests', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
