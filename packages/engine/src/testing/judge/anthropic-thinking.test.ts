import { describe, expect, it } from 'vitest';
import { assistant, body, call, hello, loop, manual, result, text, think, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'wants a signature on thinking',
    legal: body([user('hi'), assistant([think(), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([{ type: 'thinking', thinking: 'hm' }, text('ok')]), user('go')]),
    message: 'messages.1.content.0.thinking.signature: Field required',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'refuses an empty signature',
    legal: body([user('hi'), assistant([think(), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([think({ signature: '' }), text('ok')]), user('go')]),
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'asks whether the signature fits the text',
    legal: body([user('hi'), assistant([think({ signature: 'of hm' }), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([think({ signature: 'of ha' }), text('ok')]), user('go')]),
    options: { verify: ({ signature, text: said }) => signature === `of ${said}` },
    message: 'Invalid `signature` in `thinking` block',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'asks whether redacted thinking is ours',
    legal: body([user('hi'), assistant([{ type: 'redacted_thinking', data: 'ours' }, text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([{ type: 'redacted_thinking', data: 'theirs' }, text('ok')]), user('go')]),
    options: { verify: ({ signature }) => signature === 'ours' },
    message: 'Invalid `data` in `redacted_thinking` block',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'asks whether thinking stands in its own conversation',
    legal: body([user('hi'), assistant([think({ signature: 'here' }), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([think({ signature: 'there' }), text('ok')]), user('go')]),
    options: { bound: ({ signature }) => signature === 'here' },
    message: 'The block is bound to a different conversation.',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'drops foreign thinking where the request allows it',
    legal: body([user('hi'), assistant([think(), text('ok')]), user('go')], {
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    }),
    illegal: body([user('hi'), assistant([think(), text('ok')]), user('go')], { thinking: { type: 'adaptive' } }),
    options: { bound: () => false },
    message: 'bound to a different conversation',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'refuses thinking at the end of an assistant turn',
    legal: body([user('hi'), assistant([think(), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([think()]), user('go')]),
    message: 'messages.1: The final block in an assistant message cannot be `thinking`.',
    path: 'messages[1]',
  },
  {
    rule: 'wants thinking first in its turn',
    legal: body([user('hi'), assistant([think(), text('ok')]), user('go')]),
    illegal: body([user('hi'), assistant([text('so'), think(), text('ok')]), user('go')]),
    message: 'the first block must be `thinking` or `redacted_thinking`. Found `text`.',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'wants manual thinking before the last calls',
    legal: body([user('hi'), assistant([think(), call('a')]), user([result('a')])], manual),
    illegal: body(loop, manual),
    message:
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled,',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'looks for that thinking at the start of the run of calls',
    legal: body(
      [user('hi'), assistant([think(), call('a')]), user([result('a')]), assistant([call('b')]), user([result('b')])],
      manual,
    ),
    illegal: body(
      [user('hi'), assistant([call('a')]), user([result('a')]), assistant([think(), call('b')]), user([result('b')])],
      manual,
    ),
    message: 'messages.1.content.0.type: Expected `thinking`',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'asks for no thinking in adaptive mode',
    legal: body(loop, { thinking: { type: 'adaptive' } }),
    illegal: body(loop, manual),
    message: 'Expected `thinking`',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'keeps thinking out of user turns',
    legal: body([user([text('hi')])]),
    illegal: body([user([think(), text('hi')])]),
    message: '`thinking` blocks can only be in `assistant` messages',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'wants a thinking budget of 1024 or more',
    legal: body(hello, manual),
    illegal: body(hello, { ...manual, thinking: { type: 'enabled', budget_tokens: 1023 } }),
    message: 'budget_tokens: Input should be greater than or equal to 1024',
    path: 'thinking',
  },
  {
    rule: 'wants room for the answer beside the budget',
    legal: body(hello, manual),
    illegal: body(hello, { ...manual, max_tokens: 1024 }),
    message: '`max_tokens` must be greater than `thinking.budget_tokens`.',
    path: 'thinking',
  },
];

describe('the Anthropic judge on thinking', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
