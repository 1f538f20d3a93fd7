import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf, root } from './imports.ts';

/** One measured property of the code base, with the limit it must keep. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  /** The places that count, to be repaired. */
  readonly examples: readonly string[];
}

const notCounted =
  /\.test\.|\.property\.|\/fixtures?\/|\.arbitrary\.|\.fixture\.|\/proof\/|\/suite\/|\.generated\.|\/page\/|\/scripts\//;
const entryFile = /(^|\/)(index|main|mod)\.tsx?$/;
/** Words of the idiom that the code base once had; see docs/glossary.md for the terms that replaced it. */
const idiom = /\b(nobody|whoever|somebody|beside|stands|told)\b/i;

/**
 * Measures the tree.
 *
 * @example
 * for (const { name, value, limit } of measure()) console.log(name, value, limit);
 */
export function measure(): Figure[] {
  const files = tracked('packages').filter((file) => /\.tsx?$/.test(file) && !notCounted.test(file));
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const imports = new Map(files.map((file) => [file, importedFiles({ file, files: texts })]));
  return [
    singleImporters({ files, imports }),
    folderCycles({ imports }),
    duplicateTypes({ texts }),
    idiomLines({ texts }),
    longFiles({ texts }),
    ...publicExports(),
  ];
}

function tracked(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && exists(file));
}

function exists(file: string): boolean {
  try {
    readFileSync(join(root, file));
    return true;
  } catch {
    return false;
  }
}

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

function importedFiles({
  file,
  files,
}: {
  readonly file: string;
  readonly files: ReadonlyMap<string, string>;
}): Set<string> {
  const targets = importsOf(file).map(({ to }) => to);
  return new Set(targets.filter((to) => files.has(to) && to !== file));
}

/** Files that only one other file imports make a reader open two files to follow one thought. */
function singleImporters({ files, imports }: { readonly files: readonly string[]; readonly imports: Imports }): Figure {
  const importers = new Map<string, string[]>();
  for (const [from, targets] of imports)
    for (const to of targets) importers.set(to, [...(importers.get(to) ?? []), from]);
  const inner = files.filter((file) => !file.endsWith('index.ts') && importers.has(file));
  const single = inner.filter((file) => {
    const [only, ...others] = importers.get(file) ?? [];
    return only !== undefined && others.length === 0 && !entryFile.test(only);
  });
  const share = Math.round((100 * single.length) / Math.max(1, inner.length));
  return { name: 'files with one importer that is no entry, %', value: share, limit: 15, examples: single };
}

/** A folder of a module, or a file that lies in the module's root. */
function nodeOf(file: string): string {
  const parts = file.split('/');
  return parts.length > 5 ? parts.slice(0, 5).join('/') : file;
}

/** Folders that import each other cannot be read, tested or moved one at a time. */
function folderCycles({ imports }: { readonly imports: Imports }): Figure {
  const edges = new Map<string, Set<string>>();
  const moduleOf = (file: string) => /^packages\/[^/]+\/src\/[^/]+\//.exec(file)?.[0];
  for (const [from, targets] of imports) {
    for (const to of targets) {
      const [a, b] = [nodeOf(from), nodeOf(to)];
      if (a === b || moduleOf(from) === undefined || moduleOf(from) !== moduleOf(to)) continue;
      edges.set(a, (edges.get(a) ?? new Set()).add(b));
    }
  }
  const reaches = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(edges.get(start) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(edges.get(next) ?? []));
    }
    return seen;
  };
  const cyclic = [...edges.keys()].filter((node) => reaches(node).has(node));
  return { name: 'folders in an import cycle', value: cyclic.length, limit: 0, examples: cyclic };
}

/** A name that means different things in different files has to be looked up each time. */
function duplicateTypes({ texts }: { readonly texts: ReadonlyMap<string, string> }): Figure {
  const places = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
      places.set(name, [...new Set([...(places.get(name) ?? []), file])]);
  const several = [...places].filter(([, files]) => files.length > 1);
  const examples = several.map(([name, files]) => `${name}: ${files.join(', ')}`);
  return { name: 'type names defined in several files', value: several.length, limit: 30, examples };
}

function idiomLines({ texts }: { readonly texts: ReadonlyMap<string, string> }): Figure {
  const documents = tracked('.').filter((file) => file.endsWith('.md') && !file.startsWith('docs/api/'));
  const all = [...texts, ...documents.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)];
  const examples = all.flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (idiom.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  return { name: 'lines with words of the old idiom', value: examples.length, limit: 20, examples };
}

function longFiles({ texts }: { readonly texts: ReadonlyMap<string, string> }): Figure {
  const long = [...texts].filter(([, text]) => text.split('\n').length > 501).map(([file]) => file);
  return { name: 'source files over 500 lines', value: long.length, limit: 0, examples: long };
}

/** JSX runtimes are called by compilers; compat is compared to prompt-tsx name by name (test/package/prompt-tsx-names.test.ts). */
const comparedByName = /jsx-(dev-)?runtime|prompt\/compat$/;

/** Every public value is used by another package, a page of the docs, or a test from outside. */
function publicExports(): Figure[] {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/engine/package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly 'longhaul-source'?: string }>>;
  };
  const outside = tracked('.')
    .filter(
      (file) => /\.(tsx?|md)$/.test(file) && !file.startsWith('packages/engine/src/') && !file.startsWith('docs/api/'),
    )
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const used = usedNames(outside);
  // The root entry repeats what other entries hold; a name that is used from either counts for both.
  for (const name of used.get('longhaul') ?? [])
    used.set('longhaul/message', (used.get('longhaul/message') ?? new Set()).add(name));
  const entries = Object.entries(manifest.exports).flatMap(([path, { 'longhaul-source': source }]) =>
    source === undefined || comparedByName.test(path) ? [] : [{ path: `longhaul${path.slice(1)}`, source }],
  );
  const exported = entries.map(({ path, source }) => ({ path, names: valuesOf(join('packages/engine', source)) }));
  const most = exported.toSorted((a, b) => b.names.length - a.names.length)[0];
  const unused = exported.flatMap(({ path, names }) =>
    names.filter((name) => !used.get(path)?.has(name)).map((name) => `${path}: ${name}`),
  );
  return [
    {
      name: 'exported values of the largest entry',
      value: most?.names.length ?? 0,
      limit: 40,
      examples: exported.map(({ path, names }) => `${path}: ${names.length}`),
    },
    { name: 'exported values that are used nowhere outside', value: unused.length, limit: 0, examples: unused },
  ];
}

function usedNames(texts: readonly string[]): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  const add = (path: string, name: string) => used.set(path, (used.get(path) ?? new Set()).add(name));
  for (const text of texts) {
    for (const [, names = '', path = ''] of text.matchAll(
      /\{([^{}]*)\}\s*(?:from|=\s*await import\()\s*'(longhaul[\w/-]*)'/g,
    ))
      for (const name of names.split(','))
        add(
          path,
          name
            .replace(/^[\s*]*(type\s)?\s*/, '')
            .split(/\s+as\s+|:/)[0]
            ?.trim() ?? '',
        );
    for (const [, path = '', name = ''] of text.matchAll(/import\('(longhaul[\w/-]*)'\)\)?\.(\w+)/g)) add(path, name);
    for (const [, alias = '', path = ''] of text.matchAll(/import \* as (\w+) from '(longhaul[\w/-]*)'/g))
      for (const [, name = ''] of text.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))) add(path, name);
  }
  return used;
}

/** The values (not the types) that a file exports, re-exports of other entries followed. */
function valuesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','));
  const named = listed.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('type '));
  const declared = [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const followed = [...text.matchAll(/^export \* from '([^']+)';/gm)].flatMap(([, to = '']) =>
    valuesOf(join(dirname(file), to)),
  );
  return [...named.map((name) => name.split(/\s+as\s+/).at(-1) ?? name), ...declared, ...followed];
}
