import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, root } from './imports.ts';

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

/** The TypeScript examples of a page that stand on their own: those that begin with an import. */
function examplesOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, code = '']) => code);
}

const examples = pages.flatMap((page) => examplesOf(page).map((code, index) => ({ page, number: index + 1, code })));

/** The build, as users have it and much faster to load than the sources, unless a source is newer. */
const conditions = isBuilt() ? [] : ['--conditions=longhaul-source'];

function isBuilt(): boolean {
  return readdirSync(join(root, 'packages')).every((name) => {
    const [src, dist] = [join(root, 'packages', name, 'src'), join(root, 'packages', name, 'dist')];
    return existsSync(dist) && newest(src) <= newest(dist);
  });
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}

describe('examples in the documentation run as they are printed', () => {
  it('has one in the README', () => {
    expect(examples.some(({ page }) => page === 'README.md')).toBe(true);
  });

  it.each(examples)('$page, example $number', ({ code }) => {
    const folder = mkdtempSync(join(root, 'test/architecture/.example-'));
    try {
      writeFileSync(join(folder, 'example.ts'), code);
      execFileSync(process.execPath, [...conditions, join(folder, 'example.ts')], { cwd: folder });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('links between pages', () => {
  it.each(pages)('%s points only to files that are there', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    const missing = targets.filter((target) => !exists(join(root, page, '..', target)));
    expect(missing).toEqual([]);
  });
});

describe('the public functions of the engine', () => {
  const exported = publicEntries()
    .filter((file) => /src\/([a-z]+\/)?index\.ts$|src\/prompt\/compat\.ts$/.test(file))
    .flatMap((file) => publicNames(file));

  it.each(exported)('$name has a comment with an example', ({ name, file }) => {
    const text = readFileSync(join(root, file), 'utf8');
    const at = text.search(new RegExp(`^export (async |abstract )?(function|const|class) ${name}\\b`, 'm'));
    expect(at, `${name} is declared in ${file}`).toBeGreaterThan(0);
    const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, at))?.[0] ?? '';
    expect(comment, `the comment of ${name}`).toMatch(/\w/);
    const isPlainValue = text.slice(at).startsWith('export const') && !file.includes('/prompt/');
    if (!isPlainValue) expect(comment).toContain('@example');
  });
});

/** The source files behind the public subpaths of the engine's package. */
function publicEntries(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/engine/package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly 'longhaul-source'?: string }>>;
  };
  return Object.values(manifest.exports).flatMap((entry) => {
    const source = entry['longhaul-source'];
    return source === undefined ? [] : [join('packages/engine', source)];
  });
}

/** The values (not the types) that an index exports, with the file each is declared in. */
function publicNames(index: string): { name: string; file: string }[] {
  const text = readFileSync(join(root, index), 'utf8');
  const statements = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm)];
  return statements.flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .flatMap((name) => {
        const file = importsOf(index).find(({ to }) => to.endsWith(from.replace(/^\.+\//, '')))?.to;
        return file && !file.endsWith('/index.ts') ? [{ name, file }] : [];
      }),
  );
}

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR';
  }
}
