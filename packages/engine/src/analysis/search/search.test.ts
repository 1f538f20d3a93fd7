import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { done, human, itemsOf, model } from '../../engine/fixtures/items.ts';
import { partTexts } from '../../session/index.ts';
import { runs } from '../../testing/runs.ts';
import { beginningOf, findingsText, searchItems, searchWords } from './search.ts';

const count = (text: string) => text.length;
const items = itemsOf(
  human('Please move the retry settings.'),
  done(
    'read',
    { path: 'a.ts' },
    `${'const filler = compute();\n'.repeat(60)}export const maxRetryAttempts = 7;\n${'const filler = compute();\n'.repeat(60)}`,
  ),
  model('The database listens on port 5433, because 5432 was taken.'),
);

describe('words', () => {
  test('are found by the prefilter', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdeiglnorsty') });
    fc.assert(
      fc.property(letters, (word) => {
        for (const looked of searchWords(word)) expect(word.toLowerCase()).toContain(beginningOf(looked));
      }),
      runs(2_000),
    );
  });

  test('of identifiers are split and stemmed', () => {
    expect(searchWords('maxRetryAttempts')).toEqual(['maxretryattempt', 'max', 'retry', 'attempt']);
    expect(searchWords('parse_HTTPServer2')).toEqual(['pars', 'httpserv', 'http', 'serv', '2']);
    expect(searchWords('cities tested testing tests')).toEqual(['city', 'test', 'test', 'test']);
    expect(searchWords('which of the 端口')).toEqual(['端', '口']);
  });
});

describe('search', () => {
  test('finds an identifier by its words', () => {
    const { findings } = searchItems({
      items,
      query: 'How many attempts does a retry get at most?',
      budget: 2000,
      count,
    });
    expect(findings[0]?.text).toContain('maxRetryAttempts = 7');
    expect(findings[0]).toMatchObject({ handle: 3 });
    const { from, to } = findings[0]?.lines ?? { from: 0, to: 0 };
    expect(from <= 61 && 61 <= to).toBe(true);
  });

  test('finds nothing without a match', () => {
    expect(searchItems({ items, query: 'zebra', budget: 2000, count })).toEqual({ findings: [], tokens: 0 });
    expect(searchItems({ items, query: '', budget: 2000, count })).toEqual({ findings: [], tokens: 0 });
  });

  test('returns duplicates once, and continues after earlier results', () => {
    const twice = itemsOf(model('the port is 5433'), model('the port is 5433'), model('another port of call'));
    const first = searchItems({ items: twice, query: 'port', budget: 30, count }).findings;
    const second = searchItems({ items: twice, query: 'port', budget: 1000, count, seen: first }).findings;
    expect([...first, ...second].map(({ text }) => text).sort()).toEqual(['another port of call', 'the port is 5433']);
  });

  test('writes each place under its handle', () => {
    const { findings } = searchItems({ items, query: 'database port', budget: 200, count });
    expect(findingsText(findings)).toBe('@4:1-1\nThe database listens on port 5433, because 5432 was taken.');
  });

  test('stays within its budget, and quotes verbatim', () => {
    const text = fc.array(fc.constantFrom('port', 'fooBar', '\n', ' ', '👍', 'x'.repeat(600)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.nat(1500), (texts, budget) => {
        const said = itemsOf(...texts.map((words) => model(words.join(' '))));
        const { findings, tokens } = searchItems({ items: said, query: 'port of foo', budget, count });
        expect(tokens).toBeLessThanOrEqual(budget);
        for (const { handle, lines, text: found } of findings) {
          const whole = partTexts(said[handle - 1]?.message.parts ?? [])[0]?.text ?? '';
          expect(
            whole
              .split('\n')
              .slice(lines.from - 1, lines.to)
              .join('\n'),
          ).toContain(found);
        }
      }),
      runs(150),
    );
  });
});
