import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSpans } from './body-spans.ts';

const read = (text: string) => {
  const bytes = Buffer.from(text);
  const spans = readSpans({ bytes, itemsKey: 'messages' });
  const at = ({ start, end }: { start: number; end: number }) => JSON.parse(bytes.toString('utf8', start, end));
  return (
    spans && { members: new Map([...spans.members].map(([key, span]) => [key, at(span)])), items: spans.items?.map(at) }
  );
};

it('finds what JSON.parse finds, however the text is written', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.jsonValue()),
      fc.nat(3),
      (other, messages, indent) => {
        const value = { ...other, messages };
        const found = read(JSON.stringify(value, undefined, indent));
        const expected = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        expect(found?.members).toEqual(new Map(Object.entries(expected)));
        expect(found?.items).toEqual(expected.messages);
      },
    ),
  );
});

it('reads escapes, empty lists and blanks', () => {
  expect(read('{"a":"\\\\\\"]","messages" :\n[ ] }')?.items).toEqual([]);
  expect(read(' { } ')?.items).toBeUndefined();
  expect(read('{"messages":"text"}')?.items).toBeUndefined();
});

it.each([
  '',
  '[]',
  '{',
  '{"a"}',
  '{"a":1',
  '{"a":1}x',
  '{"a":"',
  '{"messages":[1 2]}',
  '{"messages":[],"messages":[1]}',
  '{"a":[1}',
])('leaves %s alone', (text) => {
  expect(readSpans({ bytes: Buffer.from(text), itemsKey: 'messages' })?.items).toBeUndefined();
});
