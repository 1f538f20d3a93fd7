import { describe, expect, it } from 'vitest';
import { assistant, body, call, hour, mark, result, text, think, tool, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'has four cache breakpoints at most',
    legal: body([user([text('a', mark), text('b', mark)])], {
      system: [text('s', mark)],
      tools: [{ ...tool, ...mark }],
    }),
    illegal: body([user([text('a', mark), text('b', mark), text('c', mark)])], {
      system: [text('s', mark)],
      tools: [{ ...tool, ...mark }],
    }),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    path: '',
  },
  {
    rule: 'counts breakpoints inside results',
    legal: body([user('hi'), assistant([call('a')]), user([result('a', { content: [text('x', mark)] })])]),
    illegal: body([
      user('hi'),
      assistant([call('a')]),
      user([result('a', { content: [1, 2, 3, 4, 5].map(() => text('x', mark)) })]),
    ]),
    message: 'Found 5.',
    path: '',
  },
  {
    rule: 'refuses a breakpoint on thinking',
    legal: body([user('hi'), assistant([think(), text('ok', mark)]), user('go')]),
    illegal: body([user('hi'), assistant([think(mark), text('ok')]), user('go')]),
    message: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'refuses a breakpoint on empty text',
    legal: body([user('hi'), assistant([call('a')]), user([result('a', { content: [text('x', mark)] })])]),
    illegal: body([user('hi'), assistant([call('a')]), user([result('a', { content: [text('', mark)] })])]),
    message: 'cache_control cannot be set for empty text blocks',
    path: 'messages[2].content[0].content[0]',
  },
  {
    rule: 'has one-hour breakpoints first',
    legal: body([user([text('a', mark)])], { system: [text('s', hour)] }),
    illegal: body([user([text('a', hour)])], { system: [text('s', mark)] }),
    message: "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    path: 'messages[0].content[0]',
  },
  {
    rule: 'knows two times to live',
    legal: body([user([text('a', hour)])]),
    illegal: body([user([text('a', { cache_control: { type: 'ephemeral', ttl: '2h' } })])]),
    message: "ttl: Input should be '5m' or '1h'",
    path: 'messages[0].content[0]',
  },
];

describe('the Anthropic judge on cache breakpoints', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
