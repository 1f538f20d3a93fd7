import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Comment, parseSync } from 'oxc-parser';
import { exampleContext } from './example-context.ts';
import { root } from './imports.ts';

/** An example in a doc comment or on a page, as a module that can be type-checked. */
export interface Example {
  /** `file:line` of the example. */
  readonly at: string;
  readonly code: string;
  /** The specifier of the public entry that exports the documented symbol; none for examples on pages. */
  readonly entry?: string;
}

interface Declaration {
  readonly file: string;
  readonly name: string;
  /** Whether it is exported as a type only. */
  readonly isType: boolean;
}

/** A public entry of a package: its specifier, and for each exported name the file that declares it. */
interface Entry {
  readonly specifier: string;
  readonly names: ReadonlyMap<string, Declaration>;
}

const packages = readdirSync(join(root, 'packages'));

/** The public entries of all packages. */
export function publicEntries(): Entry[] {
  return packages.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, { readonly 'longhaul-source'?: string }>>;
    };
    return Object.entries(manifest.exports ?? {}).flatMap(([subpath, { 'longhaul-source': source }]) =>
      source === undefined
        ? []
        : [{ specifier: join(manifest.name, subpath), names: exportsOf(join('packages', folder, source)) }],
    );
  });
}

/** The names that a file exports, each with the file and name of its declaration. */
function exportsOf(file: string): Entry['names'] {
  const names = new Map<string, Declaration>();
  for (const { entries } of moduleOf(file).record.staticExports)
    for (const { exportName, importName, localName, moduleRequest, isType } of entries) {
      const from = moduleRequest?.value;
      const target = from?.startsWith('.') ? relative(root, join(root, dirname(file), from)) : undefined;
      if (exportName.kind === 'None' && target) {
        for (const [name, origin] of exportsOf(target)) names.set(name, { ...origin, isType: isType || origin.isType });
        continue;
      }
      const name = exportName.name ?? '';
      if (importName.kind === 'All') {
        names.set(name, { file, name, isType });
        continue;
      }
      const inner = importName.name ?? localName.name ?? name;
      const origin = (target === undefined ? undefined : exportsOf(target).get(inner)) ?? { file, name: inner, isType };
      names.set(name, { ...origin, isType: isType || origin.isType });
    }
  return names;
}

interface Module {
  readonly text: string;
  readonly record: ReturnType<typeof parseSync>['module'];
  readonly comments: readonly Comment[];
  readonly program: ReturnType<typeof parseSync>['program'];
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(join(root, file), 'utf8');
  const { module: record, comments, program } = parseSync(file, text);
  const made = { text, record, comments, program };
  modules.set(file, made);
  return made;
}

/** The examples in the doc comments of all public declarations, including those of their members. */
export function commentExamples(entries: readonly Entry[]): Example[] {
  const seen = new Set<string>();
  // The root entry exports again what others document.
  return entries
    .toSorted((a, b) => Number(a.specifier === 'longhaul') - Number(b.specifier === 'longhaul'))
    .flatMap(({ specifier, names }) =>
      [...names.values()].flatMap(({ file, name }) => {
        const key = `${file} ${name}`;
        if (seen.has(key)) return [];
        seen.add(key);
        return examplesOf({ file, name }).map((example) => ({ ...example, entry: specifier }));
      }),
    );
}

function examplesOf({ file, name }: { readonly file: string; readonly name: string }): Example[] {
  const { text, comments, program } = moduleOf(file);
  return program.body.flatMap((statement, index) => {
    const declared = new RegExp(
      `^export (?:declare )?(?:async |abstract )*(?:function\\*?|const|class|interface|type|\\* as) ${name}\\b`,
    );
    if (!declared.test(text.slice(statement.start, statement.end))) return [];
    const after = program.body[index - 1]?.end ?? 0;
    return comments
      .filter(({ start, end, value }) => start >= after && end <= statement.end && value.startsWith('*'))
      .flatMap(({ start, value }) => {
        const lines = value.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
        return lines.flatMap((line, at) => {
          if (!line.startsWith('@example')) return [];
          const rest = lines.slice(at + 1);
          const end = rest.findIndex((other) => other.startsWith('@'));
          const code = rest.slice(0, end < 0 ? undefined : end).filter((other) => !other.startsWith('```'));
          const row = text.slice(0, start).split('\n').length + at;
          return [{ at: `${file}:${row}`, code: code.join('\n').trim() }];
        });
      });
  });
}

/** The TypeScript examples of all pages. */
export function pageExamples(): Example[] {
  const pages = ['README.md', ...packages.map((folder) => `packages/${folder}/README.md`)];
  for (const folder of ['docs', 'docs/adapters'])
    for (const name of readdirSync(join(root, folder))) if (name.endsWith('.md')) pages.push(`${folder}/${name}`);
  return pages
    .filter((page) => existsSync(join(root, page)))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      return [...text.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)].map(({ 1: code = '', index }) => ({
        at: `${page}:${text.slice(0, index).split('\n').length}`,
        code,
      }));
    });
}

/**
 * The module of an example: its code, after imports of the public names it uses and declarations of the variables that the
 * context provides. Names of the entry that documents it come first; what the example imports or declares itself is left alone.
 */
export function moduleText({
  example,
  entries,
}: {
  readonly example: Example;
  readonly entries: readonly Entry[];
}): string {
  const { code, entry = '' } = example;
  const own = [
    ...code.matchAll(/\b(?:const|let|function|class|type|interface) (\w+|[{[][^=]*[}\]](?= =))|^import [^;]*/gm),
  ];
  const declared = new Set(own.join('\n').match(/\w+\b(?!:)/g));
  const used = new Set(code.replace(/\/\/.*$/gm, '').match(/(?<!\w|(?<!\.\.)\.)[A-Za-z_]\w*\b(?!:)/g));
  const ranked = entries.toSorted((a, b) => rank(a, entry) - rank(b, entry));
  const context = new Map(Object.entries({ ...exampleContext[''], ...exampleContext[entry] }));
  const lines = [...used.difference(declared)].flatMap((name) => {
    const variable = context.get(name);
    if (variable !== undefined) return [`declare const ${name}: ${variable};`];
    const exporting = ranked.filter(({ names }) => names.has(name));
    const from = exporting.find(({ names }) => !names.get(name)?.isType) ?? exporting[0];
    return from ? [`import { ${name} } from '${from.specifier}';`] : [];
  });
  return [...lines, code, 'export {};', ''].join('\n');
}

function rank({ specifier }: Entry, entry: string): number {
  if (specifier === entry) return 0;
  return specifier.includes('compat') ? 2 : 1;
}
