import { expect, test } from 'vitest';
import { parseTsconfig } from './import-prompt.ts';

test.each([
  ['{ "a": 1 }', { a: 1 }],
  ['{ // one\n "a": 1, /* two */ }', { a: 1 }],
  ['{ "a": "// no, /* no */ ,}", "b": [1, 2,], }', { a: '// no, /* no */ ,}', b: [1, 2] }],
  ['{ "a": "\\"//" }', { a: '"//' }],
])('%s', (text, value) => {
  expect(parseTsconfig(text)).toEqual(value);
});

test.each([
  ['that is empty', ''],
  ['with two commas', '{ "a": 1,, }'],
  ['without a comma', '{ "a": 1 "b": 2 }'],
  ['of a million quotes and escapes, in linear time', '"\\'.repeat(500_000)],
])('refuses a tsconfig %s', (_, text) => {
  expect(() => parseTsconfig(text)).toThrow(SyntaxError);
});
