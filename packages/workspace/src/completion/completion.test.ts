import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runs } from '../../../engine/src/testing/runs.ts';
import { assemble } from './assemble.ts';
import { aroundCursor, completionModes, poolsFor } from './budget.ts';
import { NeighborFiles } from './editor.ts';
import { completionContext, createCompletionEditor, type Gather, similarSnippets } from './index.ts';
import type { CompletionItem } from './item.ts';
import { type DensityNode, densest } from './language-context.ts';

const folders: string[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function workspace(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'completion-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Workers start slowly on a busy machine. */
const patient = { timeout: 30_000 };

const files = {
  'src/base.ts': `export abstract class Base {
  protected start(): void {
    console.log('a body that is not needed');
  }
}

export interface Options {
  readonly retries: number;
  readonly delay: number;
}
`,
  'src/index.ts': "export { Base } from './base.ts';\nexport * from './delays.js';\n",
  'src/delays.ts':
    'export function delayOf(attempt: number): number {\n  return 2 ** attempt;\n}\n\nexport const unused = 1;\n',
  'tsconfig.json': '{ "compilerOptions": { "target": "es2024", "strict": true } }\n',
  '.env': 'KEY=secret\n',
};

const main = `import { Base, delayOf, unused } from './index.ts';
import type { Options } from './base.ts';
import { KEY } from '../.env';
import { outside } from '../../outside.ts';

export class Client extends Base {
  readonly options: Options;

  wait(attempt: number) {
    const ms = delayOf(
  }
}
`;

describe('language context', () => {
  const offset = main.indexOf('delayOf(\n') + 'delayOf('.length;

  test('what the expression, the function, the class and the imports refer to, without bodies', async () => {
    const root = workspace({ ...files, 'src/client.ts': main });
    const { context, prefix, suffix } = await completionContext({
      root,
      path: 'src/client.ts',
      text: main,
      offset,
      mode: 'fill',
    });
    expect(context.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'expression src/delays.ts',
      'inherited src/base.ts',
      'trait tsconfig.json',
      'property src/base.ts',
      'import src/delays.ts',
    ]);
    const [expression, inherited, trait, property] = context;
    expect(expression?.text).toBe('export function delayOf(attempt: number): number;');
    expect(inherited?.text).toContain('protected start(): void;');
    expect(inherited?.text).not.toContain('not needed');
    expect(trait?.text).toBe('// target: "es2024", strict: true\n');
    expect(property?.text).toContain('readonly delay: number;');
    expect(prefix + suffix).toBe(main);
    expect(JSON.stringify(context)).not.toContain('secret');
  });

  test('never a file outside of the root, also not by a link', async () => {
    const outside = workspace({ 'secret.ts': 'export const hidden = 1;\n' });
    const root = workspace(files);
    symlinkSync(join(outside, 'secret.ts'), join(root, 'src/link.ts'));
    symlinkSync(outside, join(root, 'linked'));
    const text =
      "import { hidden } from './link.ts';\nimport { hidden as other } from '../linked/secret.ts';\nhidden(other, ";
    const { context } = await completionContext({ root, path: 'src/a.ts', text, offset: text.length, mode: 'fill' });
    expect(context.filter(({ kind }) => kind !== 'trait')).toEqual([]);
  });
});

describe('further language context', () => {
  test('a linked package of the workspace, an alias, a sibling class and a global declaration', async () => {
    const root = workspace({
      'package.json': '{ "workspaces": ["packages/*"] }',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
      'packages/core/package.json': '{ "name": "@me/core", "exports": "./dist/index.js" }',
      'packages/core/src/index.ts': 'export interface Job {\n  run(): void;\n}\n',
      'src/lib/time.ts': 'export function later(ms: number): void {}\n',
      'src/other.ts': "import type { Job } from '@me/core';\n\nexport class Other implements Job {\n  run() {}\n}\n",
      'globals.d.ts': 'declare global {\n  function track(name: string): void;\n}\nexport {};\n',
    });
    mkdirSync(join(root, 'node_modules/@me'), { recursive: true });
    symlinkSync(join(root, 'packages/core'), join(root, 'node_modules/@me/core'));
    const text = [
      "import type { Job } from '@me/core';",
      "import { later } from '~/lib/time';",
      'export class Mine implements Job {',
      '  run() {',
      '    track("run");',
      '    later(',
      '  }',
      '}',
    ].join('\n');
    const { context } = await completionContext({
      root,
      path: 'src/mine.ts',
      text,
      offset: text.indexOf('later(\n') + 'later('.length,
      mode: 'fill',
      neighbors: ['src/other.ts'],
    });
    expect(context.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'expression src/lib/time.ts',
      'inherited packages/core/src/index.ts',
      'blueprint src/other.ts',
      'similar src/other.ts',
      'global globals.d.ts',
    ]);
    expect(context.at(-1)?.text).toContain('function track(name: string): void;');
  });
});

describe('budgets', () => {
  const item = fc.record({
    kind: fc.constant('import' as const),
    priority: fc.constantFrom(1, 0.9, 0.7, 0.5, 0.3),
    text: fc.integer({ min: 0, max: 9_000 }).map((length) => 'x'.repeat(length)),
    reason: fc.constant('because'),
  });

  test('never over the budget, whatever the document, the cursor, the mode and the items', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(item, { maxLength: 12 }),
        fc.constantFrom(...completionModes),
        (length, share, items, mode) => {
          const text = 'line of text\n'.repeat(Math.ceil(length / 13)).slice(0, length);
          const place = { path: 'a.ts', text, offset: Math.floor(share * length) };
          const found = assemble({ place, items, mode });
          expect(found.tokens).toBeLessThanOrEqual(8_192 - 500);
          const pools = poolsFor({ documentCharacters: length, mode });
          const used = (least: number) =>
            found.context.filter(({ priority }) => priority >= least).reduce((sum, one) => sum + one.text.length, 0);
          expect(used(0)).toBeLessThanOrEqual(pools.mandatory);
          if (found.context.some(({ priority }) => priority < 0.7)) expect(used(0)).toBeLessThanOrEqual(pools.optional);
          expect(text.slice(0, place.offset).endsWith(found.prefix + found.trailingBlanks)).toBe(true);
          expect(text.slice(place.offset).startsWith(found.suffix)).toBe(true);
          expect(found.context.length + found.omitted.length).toBe(items.length);
        },
      ),
      runs(60),
    );
  });

  test('context around a short document leaves the tokens of the answer (was 1 over the budget)', () => {
    const text = 'x'.repeat(6_200);
    const items = Array.from({ length: 5 }, () => ({ kind: 'import' as const, priority: 1, text, reason: 'because' }));
    const found = assemble({ place: { path: 'a.ts', text: '', offset: 0 }, items, mode: 'minimal' });
    expect(found.context).toHaveLength(4);
    expect(found.tokens).toBeLessThanOrEqual(8_192 - 500);
  });

  test('pools by mode', () => {
    const pools = (mode: (typeof completionModes)[number]) => poolsFor({ documentCharacters: 4_000, mode });
    const full = (8_192 - 1_000 - 256) * 4;
    expect(completionModes.map((mode) => pools(mode).optional)).toEqual([0, full / 2, 4_000, full]);
    expect(poolsFor({ documentCharacters: 40_000, mode: 'fill' })).toEqual({ mandatory: 0, optional: 0 });
  });

  test('the item that overdraws a pool ends it; a mandatory one is not held up by optional ones', () => {
    const items: CompletionItem[] = [
      { kind: 'import', priority: 0.5, text: 'x'.repeat(3_000), reason: 'first' },
      { kind: 'import', priority: 0.5, text: 'x'.repeat(3_000), reason: 'overdraws' },
      { kind: 'import', priority: 0.4, text: 'x', reason: 'after' },
      { kind: 'local', priority: 0.9, text: 'x'.repeat(900), reason: 'mandatory' },
    ];
    const place = { path: 'a.ts', text: 'y'.repeat(4_000), offset: 4_000 };
    expect(assemble({ place, items, mode: 'double' }).context.map(({ reason }) => reason)).toEqual([
      'mandatory',
      'first',
    ]);
    expect(assemble({ place, items, mode: 'minimal' }).context.map(({ reason }) => reason)).toEqual(['mandatory']);
  });

  test('what one side of the cursor does not need goes to the other; blanks before the cursor are separate', () => {
    const text = `${'a\n'.repeat(50)}  `;
    expect(aroundCursor({ text, offset: text.length, characters: 1_000 })).toEqual({
      prefix: 'a\n'.repeat(50),
      suffix: '',
      trailingBlanks: '  ',
    });
    const long = 'a\n'.repeat(500);
    const { prefix, suffix } = aroundCursor({ text: long, offset: 500, characters: 100 });
    expect([prefix.length, suffix.length]).toEqual([70, 30]);
    expect(aroundCursor({ text: long, offset: 20, characters: 100 }).suffix.length).toBe(80);
  });
});

describe('value density', () => {
  const nodes = (depth: number): fc.Arbitrary<DensityNode> =>
    fc
      .record({
        children: depth === 0 ? fc.constant([]) : fc.array(nodes(depth - 1), { maxLength: 3 }),
        weight: fc.integer({ min: 0, max: 100 }),
        length: fc.integer({ min: 0, max: 20 }),
      })
      .map(({ children, weight, length }) => {
        return { children, weight, texts: Array.from({ length: children.length + 1 }, () => 'x'.repeat(length)) };
      });
  const tree = nodes(4);

  test('never longer than asked for, and everything where it fits', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 0, max: 200 }), (root, characters) => {
        expect(densest({ root, characters }).length).toBeLessThanOrEqual(characters);
        expect(densest({ root, characters: 1_000_000 })).not.toContain('……');
      }),
      runs(100),
    );
  });

  test('valuable parts first, with what is around them', () => {
    const leaf = (text: string, weight: number): DensityNode => ({ texts: [text], children: [], weight });
    const root: DensityNode = {
      texts: ['{\n', '', '', '}\n'],
      children: [leaf('aaaa\n', 1), leaf('bbbb\n', 9), leaf('cccc\n', 1)],
      weight: 1,
    };
    expect(densest({ root, characters: 15 })).toBe('{\n…\nbbbb\n…\n}\n');
    expect(densest({ root, characters: 100 })).toBe('{\naaaa\nbbbb\ncccc\n}\n');
  });
});

describe('similar snippets', () => {
  test('the window with the most common words, one of each file, the best last', () => {
    const body = (words: string) => `${'filler words only\n'.repeat(80)}${words}\n${'other filler\n'.repeat(20)}`;
    const found = similarSnippets({
      before: 'const cookieHeader = parseCookie(request, signature);\n',
      files: [
        { path: 'b.ts', text: body('cookieHeader parseCookie request signature') },
        { path: 'a.ts', text: 'nothing alike\n' },
        { path: 'c.ts', text: body('parseCookie') },
        { path: 'huge.ts', text: 'parseCookie '.repeat(2_000) },
      ],
    });
    expect(found.map(({ path }) => path)).toEqual(['c.ts', 'b.ts']);
    expect(found[1]?.text).toContain('cookieHeader');
    expect(found[1]?.endLine).toBe((found[1]?.startLine ?? 0) + 59);
    expect(found[1]?.score).toBeGreaterThan(found[0]?.score ?? 1);
  });

  test('the sliding window counts as one that starts anew', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'if', '');
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 3 }), { minLength: 1, maxLength: 140 }), (lines) => {
        const text = lines.map((words) => words.join(' ')).join('\n');
        const [found] = similarSnippets({ before: 'alpha beta', files: [{ path: `${Math.random()}.ts`, text }] });
        const shares = lines.slice(0, Math.max(1, lines.length - 59)).map((_, start) => {
          const words = new Set(
            lines
              .slice(start, start + 60)
              .flat()
              .filter((one) => one !== '' && one !== 'if'),
          );
          const common = [...words].filter((one) => one === 'alpha' || one === 'beta').length;
          return common / (words.size + 2 - common);
        });
        expect(found?.score ?? 0).toBeCloseTo(Math.max(...shares), 9);
      }),
      runs(60),
    );
  });
});

test('neighbors: the last 32 files, at most ten of the same language, the newest first', () => {
  const neighbors = new NeighborFiles();
  for (let at = 0; at < 40; at += 1) neighbors.touch(`f${at}.${at % 2 === 0 ? 'ts' : 'py'}`);
  neighbors.touch('view.tsx');
  neighbors.touch('f38.ts');
  expect(neighbors.of('f36.ts')).toEqual([
    'f38.ts',
    'view.tsx',
    'f34.ts',
    'f32.ts',
    'f30.ts',
    'f28.ts',
    'f26.ts',
    'f24.ts',
    'f22.ts',
    'f20.ts',
  ]);
  neighbors.remove('view.tsx');
  expect(neighbors.of('f36.ts')).not.toContain('view.tsx');
  for (let at = 0; at < 32; at += 1) neighbors.touch(`g${at}.rb`);
  expect(neighbors.of('a.ts')).toEqual([]);
});

describe('a scripted editor', () => {
  const item = (reason: string): CompletionItem => ({ kind: 'local', priority: 0.9, text: `// ${reason}\n`, reason });

  test('a completion waits 20 ms for what is being gathered and no longer; the rest comes late', async () => {
    vi.useFakeTimers();
    const gate = Promise.withResolvers<{ items: CompletionItem[]; isComplete: boolean }>();
    const editor = createCompletionEditor({ root: '/', gather: () => gate.promise });
    editor.change({ path: 'a.ts', text: 'const value = compute(' });
    let answer: unknown = 'waiting';
    const late: unknown[] = [];
    const asked = editor.complete({ path: 'a.ts', offset: 22, onLate: ({ context }) => late.push(context.length) });
    void asked.then((context) => {
      answer = context;
    });
    await vi.advanceTimersByTimeAsync(19);
    expect(answer).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(answer).toMatchObject({ prefix: 'const value = compute(', context: [] });
    gate.resolve({ items: [item('late')], isComplete: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(late).toEqual([1]);
    expect((await editor.complete({ path: 'a.ts', offset: 22 }))?.context).toHaveLength(1);
    await editor.dispose();
  });

  test('typing and switching files: one gathering at a time, changes sent once, never over the budget', async () => {
    const calls: Parameters<Gather>[0][] = [];
    let [running, most] = [0, 0];
    const editor = createCompletionEditor({
      root: '/',
      async gather(of) {
        calls.push(of);
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return { items: [item(of.place.path)], isComplete: true };
      },
    });
    const texts = { 'a.ts': '', 'b.ts': '' };
    for (let step = 0; step < 60; step += 1) {
      const path = step % 20 < 10 ? 'a.ts' : 'b.ts';
      texts[path] += `const name${step} = ${'value + '.repeat(step)}1;\n`;
      editor.focus(path);
      editor.change({ path, text: texts[path] });
      editor.warm({ path, offset: texts[path].length });
      const context = await editor.complete({ path, offset: texts[path].length });
      expect(context?.tokens).toBeLessThanOrEqual(7_692);
      expect(context?.context.map(({ reason }) => reason)).toEqual([path]);
    }
    expect(most).toBe(1);
    expect(calls.flatMap(({ changed }) => changed)).toHaveLength(60);
    expect(calls.at(-1)?.neighbors).toEqual(['a.ts']);
    expect(await editor.complete({ path: 'unknown.ts', offset: 5 })).toBeUndefined();
    expect(await editor.complete({ path: 'a.ts', offset: 5 })).toBeUndefined();
    await editor.dispose();
  });

  test('gathering that fails costs its context only', async () => {
    let isBroken = true;
    const editor = createCompletionEditor({
      root: '/',
      async gather({ changed }) {
        if (isBroken) throw new Error('the worker ended');
        return { items: [item(changed.map(({ path }) => path).join())], isComplete: true };
      },
    });
    editor.change({ path: 'a.ts', text: 'const value = compute(' });
    expect(await editor.complete({ path: 'a.ts', offset: 22 })).toMatchObject({ context: [] });
    isBroken = false;
    expect(await editor.complete({ path: 'a.ts', offset: 22 })).toMatchObject({ context: [{ reason: 'a.ts' }] });
    await editor.dispose();
  });

  test('the real worker: unsaved text of open documents counts', async () => {
    const root = workspace({ ...files, 'src/client.ts': main });
    const editor = createCompletionEditor({ root });
    const offset = main.indexOf('delayOf(\n') + 'delayOf('.length;
    editor.change({ path: 'src/client.ts', text: main });
    editor.change({
      path: 'src/delays.ts',
      text: 'export function delayOf(renamed: string): string {\n  return renamed;\n}\n',
    });
    editor.focus('src/delays.ts');
    editor.focus('src/client.ts');
    await expect
      .poll(
        async () =>
          (await editor.complete({ path: 'src/client.ts', offset }))?.context.map(({ text }) => text).join('\n'),
        patient,
      )
      .toContain('delayOf(renamed: string)');
    await editor.dispose();
  });
});
