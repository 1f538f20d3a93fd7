import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../engine/src/testing/runs.ts';
import { readStructure } from '../structure/read-structure.ts';
import { walk } from '../structure/structure.ts';
import { samples } from './fixtures/samples.ts';
import { attachmentCost, type CostOverride, outline, outlineWithin } from './index.ts';

/** Shows definitions and never what is in the bodies of functions. */
const definitionsOnly: CostOverride = ({ node, cost }) =>
  /^(?:function|method|constructor)$/.test(node.parent?.kind ?? '') ? false : cost;

const all = { characters: Number.POSITIVE_INFINITY };

describe('the outline of each language', () => {
  test.each(samples)('$path', async ({ path, text, outline: expected }) => {
    const { documents } = await outline({ documents: [{ path, text }], budget: all, cost: definitionsOnly });
    expect(documents[0]?.text).toBe(expected);
    expect(documents[0]?.isPartial).toBe(true);
  });

  test.each(samples)('$path is parsed, and whole where it fits', async ({ path, text }) => {
    expect((await readStructure({ path, text })).source).toBe('syntax');
    const { documents } = await outline({ documents: [{ path, text }], budget: { characters: text.length } });
    expect(documents[0]).toMatchObject({ text, isPartial: false });
  });
});

describe('what is shown', () => {
  const text = samples[1]?.text ?? '';
  const at = text.indexOf("log('push')");

  test('what is near the selection first', async () => {
    const { documents } = await outline({
      documents: [{ path: 'stack.ts', text, selection: { start: at, end: at + 3 } }],
      budget: { characters: 260 },
    });
    const shown = documents[0]?.text ?? '';
    expect(shown).toContain("log('push');");
    expect(shown).toContain('this.#items.push(item);');
    expect(shown).not.toContain("log('sum')");
  });

  test('the selection also where it alone is over the budget', async () => {
    const { documents, characters } = await outline({
      documents: [{ path: 'stack.ts', text, selection: { start: 0, end: text.length } }],
      budget: { characters: 10 },
    });
    expect(documents[0]?.text).toBe(text);
    expect(characters).toBe(text.length);
  });

  test('several documents share one budget, in the order given', async () => {
    const documents = samples.slice(0, 2).map(({ path, text }) => ({ path, text }));
    const result = await outline({ documents, budget: { characters: 400 }, cost: definitionsOnly });
    expect(result.documents.map(({ path }) => path)).toEqual(['stack.js', 'stack.ts']);
    expect(result.characters).toBeLessThanOrEqual(400);
    expect(result.documents.every(({ text }) => text.length > 0)).toBe(true);
  });

  test('imports are free where types are to be kept, and last in attachments', async () => {
    const long = `${'import { a } from "./a.ts";\n'}function f() {\n  return 'a long enough body';\n}\n`;
    const documents = [{ path: 'a.ts', text: long, selection: { start: long.length - 1, end: long.length } }];
    const kept = await outline({ documents, budget: { characters: long.length - 5 }, keepsTypes: true });
    expect(kept.documents[0]?.text).toContain('import');
    const attached = await outline({ documents, budget: { characters: long.length - 5 }, cost: attachmentCost });
    expect(attached.documents[0]?.text).not.toContain('import');
  });

  test('omitted ranges and full line numbers name lines of the original', async () => {
    const [omitted, full] = await Promise.all(
      (['omitted', 'full'] as const).map((lineNumbers) =>
        outline({
          documents: [{ path: 'stack.py', text: samples[3]?.text ?? '' }],
          budget: all,
          lineNumbers,
          cost: definitionsOnly,
        }),
      ),
    );
    expect(omitted?.documents[0]?.text).toContain('    def push(self, value):\n        /* Lines 6-7 omitted */\n');
    expect(full?.documents[0]?.text).toContain('5:     def push(self, value):\n');
    expect(full?.documents[0]?.text).not.toContain('\n6: ');
  });

  test('every node has its cost, and offsets carry over both ways', async () => {
    const { documents } = await outline({ documents: [{ path: 'stack.ts', text }], budget: { characters: 200 } });
    const document = documents[0];
    expect(document?.nodes.every(({ cost }) => typeof cost === 'number')).toBe(true);
    const projected = document?.text.indexOf('export class Stack') ?? -1;
    const original = document?.toOriginal(projected);
    expect(original).toBe(text.indexOf('export class Stack'));
    expect(document?.toProjected(original ?? -1)).toBe(projected);
    expect(document?.toProjected(text.indexOf("log('sum')"))).toBeUndefined();
  });
});

describe('within a number of tokens', () => {
  const count = (text: string) => Math.ceil(text.length / 3);

  test('whole where it fits, smaller where it does not', async () => {
    const { text, path } = samples[1] ?? { text: '', path: '' };
    expect((await outlineWithin({ documents: [{ path, text }], tokens: count(text), count })).documents[0]?.text).toBe(
      text,
    );
    const small = await outlineWithin({ documents: [{ path, text }], tokens: 100, count });
    expect(small.tokens).toBeLessThanOrEqual(100);
    expect(small.documents[0]?.text).toContain('export class Stack');
  });
});

describe('any document', () => {
  const line = fc.constantFrom(
    '',
    'class A {',
    '  f() {',
    '    x = 1;',
    '  }',
    '}',
    'def f():',
    '    pass',
    '# c',
    '\t(',
    ')',
    '"',
    '`${',
    '/*',
    'if (a) {',
    'é😀',
  );
  const source = fc.record({
    path: fc.constantFrom(...samples.map(({ path }) => path), 'a.yaml', 'a.txt', 'a.md'),
    text: fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n')),
  });

  test('never over the budget, selection kept, nodes nested, a smaller budget shows a subset, equal input equal bytes', async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.nat(400), fc.nat(400), fc.nat(800), async (document, a, b, seed) => {
        const start = document.text.length === 0 ? 0 : seed % document.text.length;
        const selection = { start, end: start };
        const [small, large] = [Math.min(a, b), Math.max(a, b)];
        const shown = async (characters: number) => {
          const result = await outline({ documents: [{ ...document, selection }], budget: { characters } });
          return { result, segments: result.documents[0]?.segments ?? [] };
        };
        const [less, more, selected, again] = await Promise.all([shown(small), shown(large), shown(0), shown(small)]);
        expect(again.result.documents[0]?.text).toBe(less.result.documents[0]?.text);
        expect(less.result.characters).toBeLessThanOrEqual(Math.max(small, selected.result.characters));
        const inside = (at: number) => more.segments.some(({ start, end }) => start <= at && at < end);
        for (const { start, end } of less.segments)
          for (let at = start; at < end; at += 1) expect(inside(at)).toBe(true);
        if (document.text.length > 0) {
          expect(selected.segments.some(({ start: from, end }) => from <= start && start < end)).toBe(true);
        }
        const { root } = await readStructure(document);
        for (const { node, path } of walk(root)) {
          const outer = path.at(-1) ?? root;
          expect(node.start >= outer.start && node.end <= outer.end && node.start < node.end).toBe(true);
        }
      }),
      runs(150),
    );
  });

  test('broken and deeply nested code of every language is outlined within the budget', async () => {
    const texts = ['{'.repeat(3_000), 'class A {\n'.repeat(500), 'def f(\n'.repeat(500), '"\n\0é😀`${'.repeat(300)];
    for (const { path } of samples) {
      for (const text of texts) {
        const { characters } = await outline({ documents: [{ path, text }], budget: { characters: 1_000 } });
        expect(characters).toBeLessThanOrEqual(1_000);
      }
    }
  });

  test('hostile files are outlined without a stack or memory problem', async () => {
    const texts = [
      'x'.repeat(1_000_000),
      '{'.repeat(20_000),
      '('.repeat(20_000),
      '\0'.repeat(1_000),
      'class A {\n'.repeat(3_000),
      ' \n'.repeat(50_000),
    ];
    for (const text of texts) {
      for (const path of ['a.ts', 'a.py', 'a.txt']) {
        const { characters } = await outline({ documents: [{ path, text }], budget: { characters: 2_000 } });
        expect(characters).toBeLessThanOrEqual(2_000);
      }
    }
  });
});
