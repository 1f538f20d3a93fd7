import { describe, expect, test } from 'vitest';
import { scanTerms, termsIn } from './terms.ts';

function termsOf(text: string): string[] {
  const found: string[] = [];
  scanTerms({ text, visit: (written) => found.push(...termsIn(written).map(({ term, kind }) => `${kind} ${term}`)) });
  return found;
}

describe('terms', () => {
  test.each([
    ['see src/Main.ts.', ['path src/main.ts', 'path main.ts']],
    ['open C:\\Users\\me\\notes.md', ['word open', 'path c:\\users\\me\\notes.md', 'path notes.md']],
    ['at https://example.com/a?b=1#c', ['url https://example.com/a?b=1#c']],
    ['closes ABC-241 and #17', ['word closes', 'issue abc-241', 'issue #17']],
    ['fatal: bad object 082c2c4495629bd5', ['word fatal', 'word object', 'hash 082c2c4495629bd5']],
    ['node v23.4.0', ['word node', 'version v23.4.0']],
    ['1,508 lines, 7 files', ['number 1,508']],
    ['PR_GRACE_MS = maxRetries', ['name pr_grace_ms', 'name maxretries']],
    ['@vscode/test-cli', ['path @vscode/test-cli', 'path test-cli']],
    ['2026-02-05T10:11:12.345Z started', ['time 2026-02-05t10:11:12.345z', 'word started']],
  ])('%j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test('function words are not terms', () => {
    expect(termsOf('this is what it should have been, if ( x ) return')).toEqual([]);
  });

  test('encoded data is not a term, hashes and long names are', () => {
    expect(termsOf('aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ0aGVsbG8')).toEqual([]);
    expect(termsOf('x'.repeat(500))).toEqual([]);
    expect(termsOf('createBackgroundTokenizerOptions')).toEqual(['name createbackgroundtokenizeroptions']);
  });

  test('a script without spaces gives pairs of characters', () => {
    expect(termsOf('端口是 8080')).toEqual(['word 端口', 'word 口是', 'number 8080']);
  });

  test('other alphabets have words as well', () => {
    expect(termsOf('Ошибка сервера')).toEqual(['word ошибка', 'word сервера']);
  });
});
