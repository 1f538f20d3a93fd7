import { describe, expect, test } from 'vitest';
import { classifyFailure, findRow } from './classify.ts';
import { failureTable } from './table.ts';

describe.each(failureTable.map((row) => [`${row.kind} of ${row.provider}: ${row.example.slice(0, 70)}`, row] as const))(
  '%s',
  (_, row) => {
    const provider = row.only?.[0];

    test('is recognized as an error, a body and a text, with its numbers', () => {
      const expected = {
        kind: row.kind,
        ...(row.limit === undefined ? {} : { limit: row.limit }),
        ...(row.implied === undefined ? {} : { limit: row.implied }),
        ...(row.used === undefined ? {} : { used: row.used }),
      };
      const given = provider === undefined ? {} : { provider };
      for (const failed of [{ error: new Error(row.example) }, { body: row.example }, { error: row.example }]) {
        expect(classifyFailure({ ...given, ...failed })).toMatchObject(expected);
      }
    });

    test('is not shadowed by an earlier row', () => {
      expect(findRow({ texts: [row.example], status: undefined, provider })?.row).toBe(row);
    });
  },
);

test('patterns keep no state between calls', () => {
  expect(failureTable.filter((row) => row.pattern.global || row.pattern.sticky)).toEqual([]);
});

// A pattern that takes too long here runs into the test's time limit.
test.each([
  ['input token count ', 500, 'unknown'],
  ['exceeded your current quota ', 300, 'quota'],
  ['request too large for ', 400, 'unknown'],
  ['prompt contains 1 tokens ', 400, 'unknown'],
  ['9,', 4000, 'unknown'],
])('hostile text gets its answer: «%s» %i times', (text, times, kind) => {
  expect(classifyFailure({ body: text.repeat(times) }).kind).toBe(kind);
});

test('hostile text gets its answer: a long row of quotes after a name', () => {
  expect(classifyFailure({ body: `quotaId${'"'.repeat(8000)}` }).kind).toBe('unknown');
});
