import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { runs } from '../../../engine/src/testing/runs.ts';
import { type CodeIndex, type Embedder, listFiles, openCodeIndex, type RemoteSearch } from './index.ts';
import { chunksOf } from './prepare-files.ts';
import { workspaceTree } from './tree.ts';
import { queryTerms, writeParts } from './words.ts';

const opened: CodeIndex[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'workspace-'));
  folders.push(made);
  return made;
}

function workspace(files: Readonly<Record<string, string>>): string {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function indexOf({
  root,
  ...more
}: {
  root: string;
  embedder?: Embedder;
  remote?: RemoteSearch;
  deny?: string[];
  fillsVectors?: boolean;
}): CodeIndex {
  const index = openCodeIndex({ root, file: join(folder(), 'index.sqlite'), ...more });
  opened.push(index);
  return index;
}

/** File events come slowly on a busy machine. */
const patient = { timeout: 30_000 };

const files = {
  'src/retry.ts': 'export function retryDelay(attempt: number): number {\n  return 100 * 2 ** attempt;\n}\n',
  'src/retry.test.ts': "test('retry delay grows', () => {\n  expect(retryDelay(2)).toBe(400);\n});\n",
  'src/cookie.ts': 'export const parseCookie = (header: string) => header.split(";");\n',
  'docs/guide.md': '# Retry\n\nThe delay of a retry doubles.\n',
};

describe('the files of a workspace', () => {
  test('without ignored, binary, secret, generated and linked ones', () => {
    const root = workspace({
      ...files,
      '.gitignore': 'ignored/\n*.tmp\n!kept.tmp\n',
      'sub/.gitignore': 'local.ts\n',
      'sub/local.ts': 'x',
      'sub/other.ts': 'x',
      'ignored/a.ts': 'x',
      'a.tmp': 'x',
      'kept.tmp': 'x',
      'node_modules/a/index.js': 'x',
      '.env': 'KEY=1',
      'key.pem': 'x',
      'image.png': 'x',
      'package-lock.json': '{}',
      'empty.ts': '',
      'denied/a.ts': 'x',
    });
    const outside = workspace({ 'secret.ts': 'x' });
    symlinkSync(join(outside, 'secret.ts'), join(root, 'link.ts'));
    symlinkSync(outside, join(root, 'linked'));
    const found = listFiles({ root, deny: ['/denied/'] }).files.map(({ path }) => path);
    expect(found).toEqual([
      '.gitignore',
      'docs/guide.md',
      'kept.tmp',
      'src/cookie.ts',
      'src/retry.test.ts',
      'src/retry.ts',
      'sub/.gitignore',
      'sub/other.ts',
    ]);
  });
});

describe('chunks', () => {
  test('every line is in exactly one, along definitions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('function a() {', '  return 1;', '}', '', 'x'.repeat(300), 'const b = 2;'), {
          maxLength: 80,
        }),
        (lines) => {
          let next = 1;
          for (const { startLine, endLine } of chunksOf(lines.join('\n'))) {
            expect(startLine).toBeGreaterThanOrEqual(next);
            expect(endLine).toBeGreaterThanOrEqual(startLine);
            next = endLine + 1;
          }
          expect(next - 1).toBeLessThanOrEqual(Math.max(1, lines.length));
        },
      ),
      runs(100),
    );
  });

  test('Copilot lost characters of a less indented first line: chunks are the lines as they are', () => {
    const text = `function foo() {\n${'        deep();\n'.repeat(100)}}\n`;
    expect(chunksOf(text)[0]?.text.startsWith('function foo() {\n')).toBe(true);
    expect(chunksOf(text)[0]?.symbols).toEqual(['foo']);
  });
});

describe('the terms of a question', () => {
  test('identifiers whole and in parts; words that say nothing are left out', () => {
    expect(queryTerms('use `tryDecode` when parsing the cookie').map(({ text }) => text)).toEqual([
      'use',
      'trydecode',
      'try',
      'decode',
      'parsing',
      'cookie',
    ]);
  });
});

describe('searching', () => {
  test('finds by parts of identifiers and stems; tests and documents rank behind unless they are asked for', async () => {
    const index = indexOf({ root: workspace(files) });
    expect(await index.refresh()).toMatchObject({ files: 4, added: 4 });
    const { results, strategy } = await index.search({ query: 'compute the delays of retries' });
    expect(strategy).toBe('lexical');
    expect(results[0]).toMatchObject({ path: 'src/retry.ts', startLine: 1, endLine: 3 });
    expect(results[0]?.reasons.join(' ')).toContain('path names retries');
    expect((await index.search({ query: 'test of the retry delay' })).results[0]?.path).toBe('src/retry.test.ts');
    expect(await index.texts(results.slice(0, 1))).toEqual([files['src/retry.ts'].trimEnd()]);
  });

  test('any query is answered: empty, hostile, or in the syntax of the index', async () => {
    const index = indexOf({ root: workspace(files) });
    await index.refresh();
    for (const query of [
      '',
      ' ',
      '"',
      "'); DROP TABLE files;--",
      'a AND NOT b*',
      'NEAR(',
      'é😀',
      'x'.repeat(100_000),
    ]) {
      expect((await index.search({ query })).strategy).toBe('lexical');
    }
  });

  test('changed, new and removed files are seen; unchanged content is not indexed again', async () => {
    const root = workspace(files);
    const index = indexOf({ root });
    await index.refresh();
    writeFileSync(join(root, 'src/cookie.ts'), 'export const parseBasket = 1;\n');
    writeFileSync(join(root, 'src/fresh.ts'), 'export const zebra = 1;\n');
    rmSync(join(root, 'src/retry.ts'));
    expect(await index.refresh()).toMatchObject({ files: 4, added: 1, changed: 1, removed: 1 });
    expect((await index.search({ query: 'basket' })).results[0]?.path).toBe('src/cookie.ts');
    expect((await index.search({ query: 'zebra' })).results[0]?.path).toBe('src/fresh.ts');
    expect((await index.search({ query: 'retryDelay' })).results.map(({ path }) => path)).not.toContain('src/retry.ts');
    writeFileSync(join(root, 'src/fresh.ts'), 'export const giraffe = 1;\n');
    await index.refreshPaths(['src/fresh.ts', 'docs', '../outside.ts']);
    expect((await index.search({ query: 'giraffe' })).results[0]?.path).toBe('src/fresh.ts');
    rmSync(join(root, 'docs'), { recursive: true });
    await index.refreshPaths(['docs']);
    expect((await index.search({ query: 'doubles' })).results).toEqual([]);
  });

  test('a small workspace is given whole where it fits the budget', async () => {
    const index = indexOf({ root: workspace(files) });
    await index.refresh();
    const { results, strategy } = await index.search({ query: 'retry', budget: 8_000 });
    expect(strategy).toBe('workspace');
    expect(results.map(({ path }) => path).sort()).toEqual(Object.keys(files).sort());
  });

  test('a damaged index is made anew', async () => {
    const root = workspace(files);
    const file = join(folder(), 'index.sqlite');
    writeFileSync(file, 'not a database, whatever it says'.repeat(100));
    const index = openCodeIndex({ root, file });
    opened.push(index);
    expect(await index.refresh()).toMatchObject({ files: 4 });
  });
});

describe('better strategies', () => {
  /** Texts about the same topic have the same vector. */
  const embedder: Embedder = {
    name: 'topics',
    embed: async (texts) =>
      texts.map((text) => Float32Array.of(/delay|wait/i.test(text) ? 1 : 0, /delay|wait/i.test(text) ? 0 : 1)),
  };

  test('embeddings find what shares no word with the question, at once for the best lexical ones and later for all', async () => {
    const index = indexOf({ root: workspace(files), embedder });
    await index.refresh();
    expect((await index.search({ query: 'how long to wait between attempts' })).strategy).toBe('reranked');
    await index.embed();
    const { results, strategy } = await index.search({ query: 'how long to wait' });
    expect(strategy).toBe('embeddings');
    expect(results[0]?.path).toBe('src/retry.ts');
    expect(results[0]?.reasons.join(' ')).toContain('similar in meaning');
  });

  test('a failing embedder or remote search falls back and says why', async () => {
    const fails = async () => {
      throw new Error('no connection');
    };
    const index = indexOf({
      root: workspace(files),
      embedder: { name: 'broken', embed: fails },
      remote: { search: fails },
    });
    await index.refresh();
    expect(await index.search({ query: 'retry delay' })).toMatchObject({
      strategy: 'lexical',
      notes: ['remote search: no connection', 'embeddings: no connection'],
    });
  });

  const remoteResult = { path: 'src/retry.ts', startLine: 1, endLine: 2, score: 1, reasons: ['remote'] };

  test('a remote search that answers is used, but only for files that the workspace lists', async () => {
    const root = workspace({ ...files, '.env': 'KEY=1', '.gitignore': 'docs/\n' });
    const untrusted = ['../outside.ts', '/etc/passwd', '.env', 'docs/guide.md', 'src/gone.ts'];
    const found = [...untrusted.map((path) => ({ ...remoteResult, path })), remoteResult];
    const index = indexOf({ root, remote: { search: async () => found } });
    await index.refresh();
    expect(await index.search({ query: 'retry' })).toEqual({ strategy: 'remote', results: [remoteResult], notes: [] });
  });

  test('local strategies run while a remote search is waited for, so that its failure costs no further time', async () => {
    const order: string[] = [];
    const late = Promise.withResolvers<never[]>();
    const index = indexOf({
      root: workspace(files),
      embedder: {
        name: 'topics',
        async embed(texts) {
          order.push('embedded');
          late.resolve([]);
          return texts.map(() => Float32Array.of(1));
        },
      },
      remote: {
        async search() {
          await late.promise;
          order.push('remote');
          throw new Error('unavailable');
        },
      },
    });
    await index.refresh();
    expect(await index.search({ query: 'retry' })).toMatchObject({
      strategy: 'reranked',
      notes: ['remote search: unavailable'],
    });
    expect(order[0]).toBe('embedded');
    expect(order).toContain('remote');
  });

  test('only accepted files are results, whatever found them', async () => {
    const accept = (path: string) => path !== 'src/retry.ts';
    for (const remote of [undefined, { search: async () => [remoteResult] }]) {
      const index = indexOf({ root: workspace(files), embedder, ...(remote && { remote }) });
      await index.refresh();
      const answers = [
        await index.search({ query: 'retryDelay', accept }),
        await index.search({ query: 'retryDelay', accept, budget: 100_000 }),
      ];
      for (const { results } of answers) {
        expect(results.length).toBeGreaterThan(0);
        expect(results.map(({ path }) => path)).not.toContain('src/retry.ts');
      }
    }
  });

  test('missing vectors are filled in the background', async () => {
    const index = indexOf({ root: workspace(files), embedder, fillsVectors: true });
    await index.refresh();
    await expect.poll(async () => (await index.search({ query: 'attempts' })).strategy, patient).toBe('embeddings');
  });
});

describe('a watched workspace', () => {
  test('changes of files, folders and rules are found by the next search', async () => {
    const root = workspace(files);
    const index = indexOf({ root });
    await index.refresh();
    await index.watch();
    const found = async (query: string) => (await index.search({ query })).results.map(({ path }) => path);
    writeFileSync(join(root, 'src/cookie.ts'), 'export const parseBasket = 1;\n');
    await expect.poll(() => found('basket'), patient).toEqual(['src/cookie.ts']);
    mkdirSync(join(root, 'src/new/deep'), { recursive: true });
    writeFileSync(join(root, 'src/new/deep/zebra.ts'), 'export const zebra = 1;\n');
    await expect.poll(() => found('zebra'), patient).toEqual(['src/new/deep/zebra.ts']);
    writeFileSync(join(root, 'src/new/deep/giraffe.ts'), 'export const giraffe = 1;\n');
    await expect.poll(() => found('giraffe'), patient).toEqual(['src/new/deep/giraffe.ts']);
    rmSync(join(root, 'src/new'), { recursive: true });
    await expect.poll(() => found('zebra giraffe'), patient).toEqual([]);
    writeFileSync(join(root, '.gitignore'), 'docs/\n');
    await expect.poll(() => found('doubles'), patient).toEqual([]);
  });
});

/** The parts of identifiers of a text, written in twice its space. */
function partsIn(words: string): string {
  const text = Buffer.from(words);
  const to = Buffer.alloc(2 * text.length);
  const end = writeParts({ text, from: 0, end: text.length, to, at: 0 });
  expect(end).toBeLessThanOrEqual(to.length);
  return to.toString('latin1', 0, end);
}

test('parts of identifiers are those that a regular expression finds', () => {
  const border = /_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/;
  const expected = (text: string) =>
    (text.match(/\b[a-z0-9_]*[A-Z]\w+/g) ?? []).flatMap((word) => {
      const parts = word.split(border);
      return parts.length < 2 ? [] : parts.filter(({ length }) => length > 1).map((part) => part.toLowerCase());
    });
  const character = fc.constantFrom(...'abAB19_ .-éÄ\u0131𝐀\n');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 40 }), (text) => {
      expect(
        partsIn(text)
          .toLowerCase()
          .split(' ')
          .filter((part) => part !== ''),
      ).toEqual(expected(text));
    }),
    runs(2_000),
  );
  expect(partsIn('getHTTPServer Utf8 Server')).toBe('get HTTP Server Utf ');
});

describe('an index that was killed', () => {
  test('continues after its last batch, and finds everything', { timeout: 60_000 }, async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_200 }, (_, at) => [`src/f${at}.ts`, `export const name${at} = ${at};\n`.repeat(20)]),
    );
    const root = workspace(many);
    const file = join(folder(), 'index.sqlite');
    const child = spawn(process.execPath, [
      '--conditions=longhaul-source',
      join(import.meta.dirname, 'fixtures/index-until-killed.ts'),
      root,
      file,
    ]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const index = openCodeIndex({ root, file });
    opened.push(index);
    const { added, files: count } = await index.refresh();
    expect(count).toBe(1_200);
    expect(added).toBeLessThan(1_200);
    expect((await index.search({ query: 'name1199' })).results[0]?.path).toBe('src/f1199.ts');
    expect((await index.search({ query: 'name3' })).results[0]?.path).toBe('src/f3.ts');
  });
});

describe('the tree of a workspace', () => {
  const many = {
    'src/a.ts': 'x',
    'src/deep/b.ts': 'x',
    'zeta.md': 'x',
    '.env': 'KEY=1',
    'node_modules/x/index.js': 'x',
    '.gitignore': 'ignored\n',
    'ignored/c.ts': 'x',
  };

  test('levels near the root first, without what search leaves out', () => {
    const root = realpathSync(workspace(many));
    expect(workspaceTree({ root })).toBe('src/\n\tdeep/\n\t\tb.ts\n\ta.ts\n.gitignore\nzeta.md\n');
    expect(workspaceTree({ root, hidesDotFiles: true })).toBe('src/\n\tdeep/\n\t\tb.ts\n\ta.ts\nzeta.md\n');
    expect(workspaceTree({ root, characters: 37 })).toBe('src/\n\tdeep/\n\ta.ts\n.gitignore\nzeta.md\n');
    expect(workspaceTree({ root, characters: 20 })).toBe('src/\n.gitignore\n...\n');
  });

  test('never longer than asked for, and a smaller one has only lines of a larger one', () => {
    const root = realpathSync(workspace(many));
    const lines = (characters: number) =>
      workspaceTree({ root, characters })
        .split('\n')
        .filter((line) => !line.endsWith('...'));
    for (let characters = 0; characters < 60; characters += 1) {
      expect(workspaceTree({ root, characters }).length).toBeLessThanOrEqual(characters);
      expect(lines(characters + 1)).toEqual(expect.arrayContaining(lines(characters).filter(Boolean)));
    }
  });
});
