import { stripVTControlCharacters } from 'node:util';
import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHighlighter, createTheme, meterBar, renderDiff, StreamingMarkdown } from './index.ts';

const theme = createTheme({ name: 'dark', depth: 'true' });
const bare = (lines: readonly string[]) => lines.map((line) => stripVTControlCharacters(line));

const answer = `# Plan

First **read** the \`parser\`, then:

1. write a test
2. fix it

| file | lines |
|---|---|
| a.ts | 10 |

\`\`\`ts
const x = 'a'; // why
/* still
open */ return 42;
\`\`\`

See [the docs](https://example.com/docs).
`;

describe('streaming Markdown', () => {
  it('draws the same lines whether the text came at once or in pieces', () => {
    const whole = new StreamingMarkdown({ theme });
    whole.set(answer);
    fc.assert(
      fc.property(
        fc.array(fc.nat(answer.length), { maxLength: 12 }),
        fc.integer({ min: 20, max: 120 }),
        (cuts, width) => {
          const text = new StreamingMarkdown({ theme });
          for (const cut of cuts.toSorted((a, b) => a - b)) text.set(answer.slice(0, cut));
          text.set(answer);
          expect(bare(text.render(width).lines)).toEqual(bare(whole.render(width).lines));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keeps the lines that it has called final, byte for byte', () => {
    const text = new StreamingMarkdown({ theme });
    let before: readonly string[] = [];
    for (let end = 1; end <= answer.length; end += 1) {
      text.set(answer.slice(0, end));
      const { lines, final } = text.render(60);
      expect(lines.slice(0, before.length)).toEqual(before);
      before = lines.slice(0, final);
    }
    expect(before.length).toBeGreaterThan(5);
  });

  it('draws tables, lists and code', () => {
    const text = new StreamingMarkdown({ theme });
    text.set(answer);
    const lines = bare(text.render(60).lines).join('\n');
    expect(lines).toContain('│ a.ts');
    expect(lines).toContain('1. write a test');
    expect(lines).toContain("const x = 'a'; // why");
    expect(lines).toContain('the docs');
  });

  it('never draws a line that is wider than its room', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 12, max: 60 }),
        (content, width) => {
          const text = new StreamingMarkdown({ theme });
          text.set(content.replace(/\p{Cc}/gu, ' '));
          for (const line of text.render(width).lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('highlighting', () => {
  it('changes nothing but the color', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii' })),
        fc.constantFrom('ts', 'py', 'sh', 'sql', 'json', 'diff', 'unknown'),
        (lines, language) => {
          const color = createHighlighter({ language, theme });
          for (const line of lines) expect(stripVTControlCharacters(color(line))).toBe(stripVTControlCharacters(line));
        },
      ),
    );
  });

  it('follows a comment over several lines', () => {
    const color = createHighlighter({ language: 'ts', theme });
    expect(color('/* a')).toBe(theme.comment('/* a'));
    expect(color('const')).toBe(theme.comment('const'));
    expect(color('*/ const')).toBe(`${theme.comment('*/')} ${theme.keyword('const')}`);
  });
});

describe('diffs', () => {
  const diff = `--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 import x from 'x';
-const total = price * count;
+const total = price * amount;
 export { total };
`;

  it('marks the words that changed', () => {
    const lines = renderDiff({ diff, theme, width: 60, most: 20 });
    expect(bare(lines).map((line) => line.trimEnd())).toEqual([
      "  1   import x from 'x';",
      '  2 - const total = price * count;',
      '  2 + const total = price * amount;',
      '  3   export { total };',
    ]);
    expect(lines.join('\n')).toContain(theme.addedWord('amount'));
    expect(lines.join('\n')).toContain(theme.removedWord('count'));
  });

  it('says how many lines are left out', () => {
    expect(bare(renderDiff({ diff, theme, width: 60, most: 2 })).at(-1)).toBe('  … 2 more lines');
  });
});

it('draws the window with its marks', () => {
  const meter = { used: 50, bound: 60, window: 100, threshold: 80, reserve: 10, shares: {} as never };
  expect(stripVTControlCharacters(meterBar({ meter, cells: 10, theme }))).toBe('█████▓··┃░');
});

it('writes no color if there are none', () => {
  const none = createTheme({ name: 'dark', depth: 'none' });
  const text = new StreamingMarkdown({ theme: none });
  text.set(answer);
  const shown =
    text.render(60).lines.join('\n') +
    renderDiff({ diff: '@@ @@\n-a\n+b', theme: none, width: 40, most: 9 }).join('\n');
  // Only bold, faint, italic, underline, inverse and strike.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  for (const [, codes] of shown.matchAll(/\u001b\[([\d;]*)m/g))
    expect(['0', '1', '2', '3', '4', '7', '9', '22', '23', '24', '27', '29']).toContain(codes);
});
