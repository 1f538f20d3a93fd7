import { describe, expect, test } from 'vitest';
import { changedFiles, changedLines, reduceChanges, SplitInputError, splitChanges } from './index.ts';

const count = (text: string) => text.length;

const text = `import { a } from './a.ts';

export class Box {
  first() {
    return a(1);
  }

  second() {
    return a(2);
  }
}

export function outside() {
  return a(3);
}
`;

describe('reading changes', () => {
  test('of a patch as git prints it: changed, deleted and new files', () => {
    const patch = [
      'diff --git a/src/a.ts b/src/a.ts',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -8,3 +8,3 @@ class Box {',
      '   second() {',
      '-    return a(1);',
      '+    return a(2);',
      '   }',
      'diff --git a/old.ts b/old.ts',
      'deleted file mode 100644',
      '--- a/old.ts',
      '+++ /dev/null',
      '@@ -1,1 +0,0 @@',
      '-gone',
      'diff --git a/new.ts b/new.ts',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/new.ts',
      '@@ -0,0 +1,2 @@',
      '+one',
      '+two',
      '',
    ].join('\n');
    expect(changedFiles(patch)).toEqual([
      { path: 'src/a.ts', isDeleted: false, hunks: [{ from: 9, to: 9 }] },
      { path: 'old.ts', isDeleted: true, hunks: [{ from: 1, to: 1 }] },
      { path: 'new.ts', isDeleted: false, hunks: [{ from: 1, to: 2 }] },
    ]);
  });

  test('of two texts', () => {
    expect(changedLines({ before: 'a\nb\nc\n', after: 'a\nB\nc\nd\n' })).toEqual([
      { from: 2, to: 2 },
      { from: 4, to: 4 },
    ]);
  });
});

describe('reducing changes', () => {
  test('documents stay whole while they fit', async () => {
    const { documents } = await reduceChanges({
      inputs: [{ path: 'a.ts', text, hunks: [{ from: 9, to: 9 }] }],
      tokens: 10_000,
      count,
    });
    expect(documents[0]?.form).toBe('whole');
    expect(documents[0]?.text).toContain('/* 1 */ import');
  });

  test('hunks are widened to the definition around them', async () => {
    const { documents } = await reduceChanges({
      inputs: [{ path: 'a.ts', text, hunks: [{ from: 9, to: 9 }] }],
      tokens: 100,
      count,
    });
    expect(documents[0]).toMatchObject({ form: 'definitions', spans: [{ from: 8, to: 10 }] });
    expect(documents[0]?.text).toBe('/* 8 */   second() {\n/* 9 */     return a(2);\n/* 10 */   }\n');
  });

  test('Copilot repeated overlapping definitions: they are shown once', async () => {
    const hunks = [
      { from: 4, to: 4 },
      { from: 5, to: 5 },
      { from: 7, to: 8 },
    ];
    const { documents } = await reduceChanges({ inputs: [{ path: 'a.ts', text, hunks }], tokens: 100, count });
    expect(documents[0]?.spans).toEqual([{ from: 3, to: 11 }]);
  });

  test('the largest document is reduced first, the others stay whole', async () => {
    const small = { path: 'b.ts', text: 'const b = 1;\n', hunks: [{ from: 1, to: 1 }] };
    const { documents } = await reduceChanges({
      inputs: [small, { path: 'a.ts', text, hunks: [{ from: 14, to: 14 }] }],
      tokens: 200,
      count,
    });
    expect(documents.map(({ form }) => form)).toEqual(['whole', 'definitions']);
  });

  test('a document without hunks is dropped when its turn comes', async () => {
    const { documents } = await reduceChanges({
      inputs: [
        { path: 'a.ts', text },
        { path: 'b.ts', text: 'b\n', hunks: [{ from: 1, to: 1 }] },
      ],
      tokens: 50,
      count,
    });
    expect(documents.map(({ form }) => form)).toEqual(['dropped', 'whole']);
  });

  test('several that do not fit ask to be split; splitting gives each a batch; one alone goes through', async () => {
    const input = { path: 'a.ts', text, hunks: [{ from: 1, to: 15 }] };
    await expect(reduceChanges({ inputs: [input, input], tokens: 300, count })).rejects.toThrow(SplitInputError);
    const batches = await splitChanges({ inputs: [input, input, input], tokens: 300, count });
    expect(batches.map(({ documents }) => documents.length)).toEqual([1, 1, 1]);
    await expect(splitChanges({ inputs: Array(24).fill(input), tokens: 300, count })).rejects.toThrow(
      /more than 10 batches/,
    );
  });
});
