import { expect, test } from 'vitest';
import { withoutComments } from './import-prompt.ts';

test.each([
  ['{ "a": 1 }', { a: 1 }],
  ['{ // one\n "a": 1, /* two */ }', { a: 1 }],
  ['{ "a": "// no, /* no */ ,}", "b": [1, 2,], }', { a: '// no, /* no */ ,}', b: [1, 2] }],
  ['{ "a": "\\"//" }', { a: '"//' }],
])('%s', (text, value) => {
  expect(JSON.parse(withoutComments(text))).toEqual(value);
});
