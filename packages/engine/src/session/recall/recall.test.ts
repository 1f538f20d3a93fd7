import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import type { Draft, Entry } from '../entry/entry.ts';
import { lineOf, said } from '../fixtures/entries.ts';
import { formatHandle, parseHandle } from './handle.ts';
import { pageOf, recallFrom } from './recall.ts';

function entryOf(draft: Draft): Entry {
  const [entry] = lineOf({ drafts: [draft] });
  if (!entry) throw new Error('no entry');
  return entry;
}
const recall = (draft: Draft, handle: string) =>
  recallFrom({ entry: entryOf(draft), handle: parseHandle(handle) }).text;

describe('handles', () => {
  it('are read as they are written', () => {
    const handle = fc.record(
      {
        entry: fc.integer({ min: 1, max: 10 ** 12 }),
        part: fc.integer({ min: 1, max: 1000 }),
        lines: fc
          .tuple(fc.integer({ min: 1, max: 10 ** 6 }), fc.nat(10 ** 6))
          .map(([from, more]) => ({ from, to: from + more })),
      },
      { requiredKeys: ['entry'] },
    );
    fc.assert(
      fc.property(handle, (value) => {
        expect(parseHandle(formatHandle(value))).toEqual(value);
      }),
      runs(200),
    );
  });

  it('may name one line, and come without their sign', () => {
    expect(parseHandle('12:7')).toEqual({ entry: 12, lines: { from: 7, to: 7 } });
    expect(parseHandle(' @12.2 ')).toEqual({ entry: 12, part: 2 });
  });

  it.each([
    '',
    '@',
    '@0',
    '@1.0',
    '@1:0-2',
    '@1:5-4',
    '@1:',
    '@1.',
    '@-1',
    '@1.5.2',
    '@1e3',
    '@12x',
    '@1:2-3-4',
    '@１',
  ])('%j is none', (text) => {
    expect(() => parseHandle(text)).toThrow(expect.objectContaining({ code: 'bad-handle' }));
  });
});

const answer: Draft = {
  type: 'message',
  message: {
    role: 'assistant',
    parts: [
      { type: 'thinking', origin: 'model', text: 'hm' },
      { type: 'text', origin: 'model', text: 'one\ntwo\r\nthree\u2028still three\n' },
      { type: 'tool_call', origin: 'model', id: 'c', name: 'bash', arguments: '{"cmd": "ls"}' },
      { type: 'image', origin: 'model', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } },
    ],
  },
};
const output: Draft = {
  type: 'message',
  message: {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'tool',
        callId: 'c',
        content: [
          { type: 'text', origin: 'tool', text: 'a\nb' },
          { type: 'image', origin: 'tool', source: { kind: 'url', url: 'https://x/y.png' } },
          { type: 'text', origin: 'tool', text: 'c' },
        ],
      },
    ],
  },
};

describe('recall', () => {
  it('gives exactly the text of a part', () => {
    expect(recall(answer, '@1.1')).toBe('hm');
    expect(recall(answer, '@1.2')).toBe('one\ntwo\r\nthree\u2028still three\n');
    expect(recall(answer, '@1.3')).toBe('bash {"cmd": "ls"}');
    expect(recall(answer, '@1.4')).toBe('data:image/png;base64,aGk=');
    expect(recall(output, '@1.1')).toBe('a\nb\nc');
  });

  it('gives a whole message with its parts one under the other, without the bytes of its images', () => {
    expect(recall(answer, '@1')).toBe('hm\none\ntwo\r\nthree\u2028still three\n\nbash {"cmd": "ls"}');
  });

  it('counts lines at \\n only', () => {
    expect(recall(answer, '@1.2:2-3')).toBe('two\r\nthree\u2028still three');
    expect(recall(answer, '@1.2:4-4')).toBe('');
    expect(recall(answer, '@1.2:3-900')).toBe('three\u2028still three\n');
    expect(recall(answer, '@1:1-2')).toBe('hm\none');
  });

  it('gives summaries, pins and replacements, and the JSON of what says nothing', () => {
    expect(recall({ type: 'branch_summary', fromId: null, summary: 'S' }, '@1')).toBe('S');
    expect(recall({ type: 'compaction', summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'x' }, '@1.1')).toBe(
      'S',
    );
    expect(recall({ type: 'pin', text: 'rule' }, '@1')).toBe('rule');
    expect(recall({ type: 'message', message: { role: 'user', parts: [] } }, '@1')).toBe('');
    const entry = entryOf({ type: 'thinking_change', level: 'high' });
    expect(recallFrom({ entry, handle: { entry: 1 } }).text).toBe(JSON.stringify(entry));
  });

  it('says so where there is no such part, line or page', () => {
    expect(() => recall(answer, '@1.5')).toThrow(/has 4/);
    expect(() => recall(answer, '@1.1:2-3')).toThrow(/it has 1/);
    const missing = () => recallFrom({ entry: entryOf(said('x')), handle: { entry: 1 }, page: 2 });
    expect(missing).toThrow(/no page 2/);
    expect(() => recallFrom({ entry: entryOf(said('x')), handle: { entry: 1 }, page: 0 })).toThrow(/no page 0/);
  });

  it('gives the exact bytes of any text, whole and page by page', () => {
    const texts = fc.array(fc.constantFrom('a', '\n', '👍', '\ud83d', '\u2028', 'word '), {
      maxLength: 200,
      size: 'max',
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: -1, max: 50 }), (pieces, pageLength) => {
        const text = pieces.join('');
        expect(recall(said(text), '@1')).toBe(text);
        const { pages } = pageOf({ text, page: 1, pageLength });
        const all = Array.from({ length: pages }, (_, at) => pageOf({ text, page: at + 1, pageLength }).text ?? 'none');
        expect(all.join('')).toBe(text);
        expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(Math.max(2, pageLength));
      }),
      runs(200),
    );
  });

  it('never parts a pair between two pages', () => {
    const texts = fc.array(fc.constantFrom('a', '👍'), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 9 }), (pieces, pageLength) => {
        const text = pieces.join('');
        const { pages } = pageOf({ text, page: 1, pageLength });
        for (let page = 1; page <= pages; page += 1) {
          expect(pageOf({ text, page, pageLength }).text?.isWellFormed()).toBe(true);
        }
      }),
      runs(100),
    );
  });

  it('has one empty page for an empty text', () => {
    expect(pageOf({ text: '', page: 1 })).toEqual({ text: '', pages: 1 });
  });
});
