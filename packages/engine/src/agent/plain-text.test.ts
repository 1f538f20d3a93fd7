import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/runs.ts';
import { createPlainStream, plain, visible } from './plain-text.ts';

const hostile = [
  ['colors', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a cleared screen', 'a\u001b[2J\u001b[Hb', 'ab'],
  ['a title', '\u001b]0;owned\u0007text', 'text'],
  ['a title with the other end', '\u001b]2;owned\u001b\\text', 'text'],
  ['a link', '\u001b]8;;http://evil\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['the clipboard', '\u001b]52;c;cm0gLXJm\u0007x', 'x'],
  ['a device string', '\u001bP+q544e\u001b\\x', 'x'],
  ['sequences of eight bits', '\u009b31mred\u009d0;t\u009cx', 'redx'],
  ['charsets and resets', '\u001b(Bx\u001bc', 'x'],
  ['progress that was written over', ' 10%\r 50%\r100%\ndone', '100%\ndone'],
  ['lines of another system', 'a\r\nb\r\n', 'a\nb\n'],
  ['what is left of a sequence', 'a\u001b[', 'a\u241b['],
  ['bells and backspaces', 'a\u0007b\u0008', 'a\u2407b\u2408'],
  ['a line turned around', 'a\u202eb', 'a\ufffdb'],
  ['tags that nobody sees', 'a\u{e0041}b', 'a\ufffdb'],
] as const;

describe('plain', () => {
  test.each(hostile)('%s', (_, text, expected) => expect(plain(text)).toBe(expected));

  test('does not change other text', () => {
    const text = 'Grüße, 世界 👩‍💻\n\tا ב\n';
    expect(plain(text)).toBe(text);
  });

  test('visible keeps every character at its position', () => {
    expect(visible('a\u001b[2J\tb\nc\u009b')).toBe('a\u241b[2J\tb\nc\ufffd');
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const piece = fc.oneof(
  fc.constantFrom('\u001b', '[', ']', '31m', '\u0007', '\u001b\\', '\u009b', '\u0090', '\r', '\n', 'x', '\u202e'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

test('nothing that a terminal interprets is left, however it is split', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const stream = createPlainStream();
      const streamed = [...pieces.map((text) => stream.push(text)), stream.end()].join('');
      expect(streamed).not.toMatch(obeyed);
      expect(plain(pieces.join(''))).not.toMatch(obeyed);
    }),
    runs(300),
  );
});

test('an endless sequence buffers a bounded amount', () => {
  const stream = createPlainStream();
  let given = 0;
  for (let at = 0; at < 100; at += 1) given += stream.push(at === 0 ? '\u001b]0;' : 'x'.repeat(1000)).length;
  expect(given).toBeGreaterThan(90_000);
});
