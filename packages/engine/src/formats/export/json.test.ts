import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { jsonPieces } from './json.ts';

test('an object in pieces is the object indented, whatever is in it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      expect([...jsonPieces(object as JsonObject)].join('')).toBe(`${JSON.stringify(object, undefined, 2)}\n`);
    }),
    runs(200),
  );
});

test('a long list comes item by item', () => {
  const pieces = [...jsonPieces({ messages: ['one', 'two', 'three'] })];
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20);
});
