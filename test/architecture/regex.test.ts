import { expect, test } from 'vitest';
import { reportsOf, slowRegexes } from './regex-literals.ts';

/** Expressions that may stay, because what they meet is bounded or they cannot fail. */
const allowed: Readonly<Record<string, string>> = {
  'packages/cli/src/agent/consent.ts: /^\\s*(?:n|no)?\\s*$/i': 'meets a line that a person typed at a question',
  'packages/cli/src/import/open-source.ts: /^event-\\d+.*\\.json$/':
    'meets names of files, which systems limit to 255 bytes',
  'packages/engine/src/summarize/narrative/blocks.ts: /^((?:\\s*>)*\\s*(?:(?:[-*•+‣▪◦]|\\d{1,3}[.)])\\s+)?)(.*)$/s':
    'cannot fail after its beginning, so it never backtracks',
  'packages/engine/src/summarize/narrative/quotes.ts: /(?:^|[.!?。！？][)"”]?\\s|\\n)\\s*(?:[-*•]\\s+|\\d+[.)]\\s+)?$/':
    'meets the last 200 characters before a quotation',
  'packages/engine/src/models/failure/rows-overflow.ts: /exceeds the limit of (?<limit>\\d[\\d,]*)(?![\\d,]*\\s*(?:images?|requests?|files?|tools?|pages?|bytes|[kmg]i?b)\\b)/i':
    'meets at most 8,000 characters of an error (`maxText` in failure/report.ts)',
  'packages/engine/src/formats/aider/format.ts: /^# aider chat started at (.+?)\\s*$/m':
    'meets the first 4,096 characters of a file',
};

test('no regular expression of the source takes exponential time, and none more than linear time on unbounded text', () => {
  const slow = slowRegexes();
  const unknown = slow.filter(({ key, isExponential }) => isExponential || allowed[key] === undefined);
  expect(unknown).toEqual([]);
  // An exception that is no longer needed would hide the next one.
  expect(Object.keys(allowed).filter((key) => !slow.some((regex) => regex.key === key))).toEqual([]);
});

test('nor one that is put together from pieces when a module is loaded', async () => {
  const built: RegExp[] = [];
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args: [string, string?]) {
      const regex = new target(...args);
      built.push(regex);
      return regex;
    },
  });
  try {
    await import('../../packages/engine/src/index.ts');
    for (const module of ['models', 'session', 'formats', 'engine', 'agent', 'prompt'])
      await import(`../../packages/engine/src/${module}/index.ts`);
  } finally {
    globalThis.RegExp = Original;
  }
  expect(built.length).toBeGreaterThan(20);
  const sources = new Map(built.map(({ source, flags }) => [`/${source}/${flags}`, { pattern: source, flags }]));
  const slow = [...sources].flatMap(([key, regex]) => (reportsOf(regex).length > 0 ? [key] : []));
  expect(slow).toEqual([]);
});

test.each([
  ['(a+)+$', true],
  ['\\s+$', false],
  ['a.*b.*c', false],
])('the analysis finds %s', (pattern, isExponential) => {
  expect(reportsOf({ pattern, flags: '' })).toContainEqual(expect.objectContaining({ exponential: isExponential }));
});
