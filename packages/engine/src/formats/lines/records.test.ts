import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../session/store/memory.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn, inPieces } from '../fixtures/bring-in.ts';
import { assistant, jsonl, piEntry, piHeader, user } from '../fixtures/pi-file.ts';
import { importSession } from '../import/import.ts';

const talk = [
  piHeader,
  piEntry('01', null, user('one')),
  piEntry('02', '01', assistant('two')),
  piEntry('03', '02', user('three')),
];
const whole = jsonl(talk);
const [header = '', first = '', second = '', third = ''] = whole.split('\n');
const three = ['user: one', 'assistant: two', 'user: three'];

describe('broken lines are mended, or left out and reported', () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    ['nothing is wrong', whole, three, []],
    ['a missing final newline (pi #8345)', whole.trimEnd(), three, []],
    ['a torn last line', whole.trimEnd().slice(0, -20), three.slice(0, 2), ['torn-tail']],
    ['NUL bytes at the end (Copilot CLI #2217)', `${whole}${'\0'.repeat(4096)}`, three, ['nul-bytes']],
    ['NUL bytes inside (Copilot CLI #2927)', whole.replace('"one"', '"o\0\0ne"'), three, ['nul-bytes']],
    ['joined lines', [header, first + second, third].join('\n'), three, ['joined-lines']],
    ['three in one line', header + first + second + third, three, ['joined-lines']],
    [
      'a torn record joined to a whole one (Copilot CLI #4098)',
      [header, first, `${second.slice(0, 90)}${third}`, ''].join('\n'),
      ['user: one', 'user: three'],
      ['joined-lines', 'missing-parent'],
    ],
    [
      'a raw line feed in a text (Copilot CLI #2649)',
      whole.replace('one', 'o\nn\ne'),
      ['user: o\nn\ne', ...three.slice(1)],
      ['raw-line-feed'],
    ],
    ['a line of noise', [header, first, 'noise', second, third].join('\n'), three, ['bad-line']],
    [
      'a line of JSON that is no object',
      [header, first, '42', '[1]', second, third].join('\n'),
      three,
      ['bad-line', 'bad-line'],
    ],
    ['a byte order mark and CRLF', `\ufeff${whole.replaceAll('\n', '\r\n')}`, three, []],
    ['empty lines', whole.replaceAll('\n', '\n\n  \n'), three, []],
    [
      'U+2028 in a text (pi #1911, Copilot CLI #2490)',
      whole.replace('one', 'o\u2028n\u2029e'),
      ['user: o\u2028n\u2029e', ...three.slice(1)],
      [],
    ],
    ['half a header', `${header.slice(0, 70)}\n${first}\n${second}\n${third}\n`, three, ['bad-line', 'half-a-header']],
    ['no header', `${first}\n${second}\n${third}\n`, three, ['half-a-header']],
    ['a header joined to the first entry', [header + first, second, third].join('\n'), three, ['joined-lines']],
    [
      'deep nesting',
      [
        header,
        first,
        second,
        `{"type":"custom","id":"0a","parentId":"02","timestamp":"2026","data":${'['.repeat(5000)}${']'.repeat(5000)}}`,
        third,
      ].join('\n'),
      three,
      ['bad-line'],
    ],
  ])('%s', async (_, text, sent, codes) => {
    for (const chunk of [7, 100_000]) {
      const result = await bringIn({ text, chunk });
      expect(result.sent).toEqual(sent);
      expect(result.codes).toEqual(codes);
    }
  });

  test('a record with many raw line feeds is put together in bounded time', async () => {
    const { sent } = await bringIn({ text: whole.replace('one', 'x\n'.repeat(400)) });
    expect(sent).toHaveLength(3);
  });

  test('half a header still tells which session it is', async () => {
    const { session } = await bringIn({ text: whole });
    expect((await bringIn({ text: whole.replace('"cwd":"/repo"}', '"cw') })).session).toBe(session);
  });
});

describe('what is refused', () => {
  const refusal = async (text: string | Uint8Array) => {
    const store = createMemoryStore();
    const error = await bringIn({ text, store }).then(
      () => undefined,
      (thrown: { code?: string }) => thrown.code,
    );
    // Nothing is left of it.
    expect(await store.list()).toEqual([]);
    return error;
  };

  test.each([
    ['a text', 'Dear diary,\ntoday I broke the build.\n', 'not-a-session'],
    ['an empty file', '', 'file-empty'],
    ['only NUL bytes', '\0'.repeat(100), 'file-empty'],
    ['a number', '42', 'not-a-session'],
    ['an object that is nothing', '{"hello":"world"}', 'not-a-conversation'],
    ['a package file over several lines', '{\n  "name": "x",\n  "version": "1"\n}\n', 'not-a-conversation'],
  ])('%s', async (_, text, code) => {
    expect(await refusal(text)).toBe(code);
  });

  test.each([
    ['UTF-16', Buffer.from(`\ufeff${whole}`, 'utf16le')],
    ['Latin-1', Buffer.from(whole.replace('one', 'na\u00efve'), 'latin1')],
    ['Latin-1 messages', Buffer.from('[{"role":"user","content":"na\u00efve"}]', 'latin1')],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
  ])('%s', async (_, bytes) => {
    expect(await refusal(bytes)).toBe('not-utf8');
  });

  test('the line that is not UTF-8 is named', async () => {
    const bytes = Buffer.from(whole.replace('two', 'na\u00efve'), 'latin1');
    await expect(bringIn({ text: bytes })).rejects.toThrow('The file is not UTF-8 text: see line 3.');
  });

  test('a line of 100 MB, with no more of it in memory than the limit, and nothing stays behind', async () => {
    const store = createMemoryStore();
    let given = 0;
    const open = async function* () {
      yield new TextEncoder().encode(`${header}\n${first}\n{"type":"custom","data":"`);
      const mebibyte = new Uint8Array(1024 * 1024).fill(0x61);
      for (; given < 100; given += 1) yield mebibyte;
    };
    await expect(importSession({ store, open })).rejects.toMatchObject({
      code: 'line-too-long',
      message: 'Line 3 is longer than 67108864 bytes.',
    });
    expect(given).toBeLessThan(70);
    expect(await store.list()).toEqual([]);
  });
});

describe('bytes that are no UTF-8 behind the beginning of a file cost a character, with a warning for each line', () => {
  const bad = Buffer.from('b\u00e4d', 'latin1');
  const long = 'x'.repeat(70_000);

  test('in a session', async () => {
    const lines = jsonl([
      ...talk,
      piEntry('04', '03', assistant(long)),
      piEntry('05', '04', user('BAD')),
      piEntry('06', '05', user('fine')),
    ]);
    const [before = '', after = ''] = lines.split('BAD');
    const result = await bringIn({ text: Buffer.concat([Buffer.from(before), bad, Buffer.from(after)]) });
    expect(result.warnings).toMatchObject([{ code: 'not-utf8', line: 6 }]);
    expect(result.sent.slice(-2)).toEqual(['user: b\ufffdd', 'user: fine']);
  });

  test('in a list of messages', async () => {
    const text = Buffer.concat([
      Buffer.from(`[{"role":"user","content":"${long}"},\n{"role":"assistant","content":"`),
      bad,
      Buffer.from('"}]'),
    ]);
    const result = await bringIn({ text });
    expect(result.warnings).toMatchObject([{ code: 'not-utf8', line: 2 }]);
    expect(result.sent.at(-1)).toBe('assistant: b\ufffdd');
  });

  test('a character on the border of what is looked at first is whole', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = jsonl([...talk, piEntry('04', '03', user('x'.repeat(shift) + '\u{1f600}'.repeat(20_000)))]);
      expect((await bringIn({ text })).codes).toEqual([]);
    }
  });

  test('a last line that is torn inside a character is only torn', async () => {
    const text = Buffer.from(whole.replace('three', '\u{1f600}'));
    const cut = text.subarray(0, text.indexOf(0xf0) + 2);
    expect((await bringIn({ text: cut })).codes).toEqual(['torn-tail']);
  });
});

test('a damaged file never crashes the reader, and whatever comes of it opens', async () => {
  const bytes = new TextEncoder().encode(whole);
  const change = fc.record({
    at: fc.nat({ max: bytes.length - 1 }),
    kind: fc.nat({ max: 3 }),
    byte: fc.nat({ max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 500 }),
      async (changes, chunk) => {
        let damaged = [...bytes];
        for (const { at, kind, byte } of changes) {
          if (kind === 0) damaged[at] = byte;
          else if (kind === 1) damaged.splice(at, 1 + (byte % 40));
          else if (kind === 2) damaged.splice(at, 0, byte);
          else damaged = damaged.slice(0, Math.max(at, 1));
        }
        const store = createMemoryStore();
        const open = () => inPieces({ bytes: Uint8Array.from(damaged), chunk });
        try {
          const { session } = await importSession({ store, open });
          expect(await importSession({ store, open })).toMatchObject({ session, added: 0 });
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^[a-z0-9-]+$/);
        }
      },
    ),
    runs(150),
  );
});
