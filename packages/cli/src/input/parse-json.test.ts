import { array, assert, constantFrom, json, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../engine/src/testing/runs.ts';
import { jsonFault } from './parse-json.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['', 0, 'a value'],
  ['[1,]', 3, 'a value'],
  ['[', 1, 'a value or "]"'],
  ['[1 2]', 3, '"," or "]"'],
  ['{"a":1 "b"}', 7, '"," or "}"'],
  ['{a: 1}', 1, 'a key in quotes or "}"'],
  ['{"a":1,}', 7, 'a key in quotes'],
  ['{"a" 1}', 5, '":"'],
  ['{"a":undefined}', 5, 'a value'],
  ['"abc', 4, 'the closing quote of a string'],
  ['"a\nb"', 2, 'the closing quote of a string, or an escape such as \\n'],
  ['"a\\xb"', 2, 'an escape such as \\n or \\u00e9'],
  ['[] []', 3, 'the end'],
  ['nullx', 4, 'the end'],
  ["{'a': 1}", 1, 'a key in quotes or "}"'],
])('%j', (text, offset, expected) => {
  expect(jsonFault(text)).toEqual({ offset, expected });
});

test('agrees with JSON.parse on what is JSON and what is not', () => {
  const pieces = constantFrom(
    ...'[]{},:"\\-+.0123eEuntrlsaf \n\t'.split(''),
    'true',
    'null',
    '"a"',
    '1.5e3',
    '\\u00e9',
  );
  const soup = array(pieces, { maxLength: 12 }).map((list) => list.join(''));
  const damaged = json().chain((text) =>
    soup.map((extra) => text.slice(0, extra.length * 3) + extra + text.slice(extra.length * 3)),
  );
  assert(
    property(oneof(soup, damaged, json(), string()), (text) => (jsonFault(text) === undefined) === isJson(text)),
    runs(5000),
  );
});

test('deep nesting needs no stack', () => {
  expect(jsonFault('['.repeat(500_000))).toEqual({ offset: 500_000, expected: 'a value or "]"' });
});
