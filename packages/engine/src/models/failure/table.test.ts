import { describe, expect, test } from 'vitest';
import { classifyFailure, findRow } from './classify.ts';
import { failureTable } from './table.ts';

describe.each(failureTable.map((row) => [`${row.kind} of ${row.provider}: ${row.example.slice(0, 70)}`, row] as const))(
  '%s',
  (_, row) => {
    const provider = row.only?.[0];

    test('is recognised as an error, a body and a text, with its numbers', () => {
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

test('patterns stay fast on hostile text', () => {
  const hostile = [
    'input token count '.repeat(500),
    'exceeded your current quota '.repeat(300),
    'request too large for '.repeat(400),
    'prompt contains 1 tokens '.repeat(400),
    `quotaId${'"'.repeat(8000)}`,
    '9,'.repeat(4000),
  ];
  const started = performance.now();
  for (const body of hostile) classifyFailure({ body });
  expect(performance.now() - started).toBeLessThan(2000);
});
