import { describe, expect, it } from 'vitest';
import { body, image, png, text, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'refuses empty text blocks',
    legal: body([user([text('hi')])]),
    illegal: body([user([text('hi'), text('')])]),
    message: 'messages: text content blocks must be non-empty',
    path: 'messages[0].content[1]',
  },
  {
    rule: 'refuses whitespace-only text blocks',
    legal: body([user([text(' hi ')])]),
    illegal: body([user([text(' \n')])]),
    message: 'messages: text content blocks must contain non-whitespace text',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'refuses whitespace-only string content',
    legal: body([user(' hi ')]),
    illegal: body([user(' \n')]),
    message: 'must contain non-whitespace text',
    path: 'messages[0].content',
  },
  {
    rule: 'knows four image types',
    legal: body([user([image(png)])]),
    illegal: body([user([image({ ...png, media_type: 'image/bmp' })])]),
    message: "image.source.base64.media_type: Input should be 'image/jpeg'",
    path: 'messages[0].content[0]',
  },
  {
    rule: 'wants base64 that is base64',
    legal: body([user([image(png)])]),
    illegal: body([user([image({ ...png, data: 'data:image/png;base64,AAAA' })])]),
    message: 'image.source.base64: invalid base64 data',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'knows three image sources',
    legal: body([user([image({ type: 'url', url: 'https://x/y.png' })])]),
    illegal: body([user([image({ type: 'path', path: '/x' })])]),
    message: "Input tag 'path' found",
    path: 'messages[0].content[0]',
  },
];

describe('the Anthropic judge on content', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
