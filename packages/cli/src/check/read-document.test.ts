import { describe, expect, test } from 'vitest';
import { parseDocument } from './read-document.ts';

const [first, second] = ['{"role":"user","content":"a"}', '{"role":"user","content":"b"}'];
const both = [JSON.parse(first), JSON.parse(second)];

describe('JSONL is detected from the text', () => {
  test.each([
    ['two lines', `${first}\n${second}\n`, 'a.txt'],
    ['Windows line ends and empty lines', `\r\n${first}\r\n\r\n${second}`, 'standard input'],
    ['a name that says so', `${first}\n${second}`, 'a.jsonl'],
    ['a list on several lines, whatever its name', `[\n${first},\n${second}\n]`, 'a.jsonl'],
    ['a list on one line', `[${first},${second}]`, 'a.json'],
  ])('%s', (_, text, name) => {
    expect(parseDocument({ text, name })).toEqual(both);
  });
});

test('a single message is a list of one', () => {
  expect(parseDocument({ text: first, name: 'a.json' })).toEqual([both[0]]);
  expect(parseDocument({ text: '{"type":"reasoning"}', name: 'a.jsonl' })).toEqual([{ type: 'reasoning' }]);
});

test('a request body stays one, also in a file that is called JSONL', () => {
  expect(parseDocument({ text: '{"messages":[]}', name: 'a.jsonl' })).toEqual({ messages: [] });
});

test.each([
  ['a.jsonl', `${first}\n{"role":\n`, 'a.jsonl is not valid JSON: line 2, column 9: the text ends, expected a value.'],
  [
    'a.txt',
    `${first}\n\n{oops}\n`,
    'a.txt is not valid JSON: line 3, column 2: found "o", expected a key in quotes or "}".',
  ],
  ['a.json', '[\n  {"a": 1},\n]', 'a.json is not valid JSON: line 3, column 1: found "]", expected a value.'],
  ['a.json', 'hello', 'a.json is not valid JSON: line 1, column 1: found "h", expected a value.'],
])('%s with a fault: line and column', (name, text, cause) => {
  expect(() => parseDocument({ text, name })).toThrow(cause);
});
