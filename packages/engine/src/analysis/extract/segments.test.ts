import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { type LineSegment, segmentsOf } from './segments.ts';

function segmentsIn(text: string): LineSegment[] {
  const segments: LineSegment[] = [];
  segmentsOf({ text, visit: (segment) => segments.push(segment) });
  return segments;
}
const textsIn = (text: string) => segmentsIn(text).map(({ from, to }) => text.slice(from, to));

describe('segments', () => {
  test('are the lines of a text, numbered as in handles', () => {
    expect(segmentsIn('one\n\nthree\u2028still three')).toEqual([
      { line: 1, from: 0, to: 3 },
      { line: 3, from: 5, to: 22 },
    ]);
  });

  test('a long line is split at the end of a sentence', () => {
    const sentence = 'This sentence is about as long as sentences are in a report of what was done and why. ';
    expect(textsIn(sentence.repeat(5)).every((piece) => piece.endsWith('. '))).toBe(true);
  });

  test('a long line of JSON is split at an escaped line break, otherwise after a value', () => {
    const lines = `{"text":"${'const port = readPort(environment);\\n'.repeat(30)}"}`;
    expect(
      textsIn(lines)
        .slice(0, -1)
        .every((piece) => piece.endsWith('\\n')),
    ).toBe(true);
    const different = '{"text":"const retries = 5; // for each of them\\nconst delay = 250;\\n"}'.padEnd(200, ' ');
    expect(textsIn(different)[0]).toBe('{"text":"const retries = 5; // for each of them\\n');
    const values = `[${'{"id":12345,"name":"something"},'.repeat(30)}]`;
    expect(
      textsIn(values)
        .slice(0, -1)
        .every((piece) => piece.endsWith('},')),
    ).toBe(true);
  });

  test('joined they are the text without line breaks, no character is split, and none is too long', () => {
    const texts = fc.array(fc.constantFrom('a', 'word ', '\n', '👍', ', ', '. ', 'x'.repeat(100)), { maxLength: 60 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join('');
        const segments = textsIn(text);
        expect(segments.join('')).toBe(text.replaceAll('\n', ''));
        expect(segments.every((segment) => segment.isWellFormed() && segment.length <= 290)).toBe(true);
      }),
      runs(200),
    );
  });
});
