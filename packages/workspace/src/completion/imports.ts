import { type ParseError, parse } from 'jsonc-parser';
import type { WorkspaceFiles } from './workspace-files.ts';

/** A name that a file takes from another. */
export interface ImportedName {
  /** As it is called here. */
  readonly local: string;
  /** As it is called there; `*` for all of it, `default` for its default. */
  readonly remote: string;
  readonly from: string;
}

const statement = /\b(?:import|export)\s([\w$*\s{},]{1,4000}?)[\s}]from\s{0,20}['"]([^'"\n]{1,500})['"]/g;
const required =
  /\b(?:const|let|var)\s+(\{[^{}]{1,2000}\}|[\w$]{1,100})\s*=\s*require\(\s*['"]([^'"\n]{1,500})['"]\s*\)/g;

/**
 * The names that a JavaScript or TypeScript file imports, and with `isExport` those that it passes on.
 *
 * @example
 * importsOf({ text: "import { a as b } from './c.ts';" }); // [{ local: 'b', remote: 'a', from: './c.ts' }]
 */
export function importsOf({
  text,
  isExport = false,
}: {
  readonly text: string;
  readonly isExport?: boolean;
}): ImportedName[] {
  const names: ImportedName[] = [];
  for (const match of text.slice(0, 200_000).matchAll(statement)) {
    if (match[0].startsWith('export') === isExport)
      names.push(...bindings({ clause: match[1] ?? '', from: match[2] ?? '' }));
  }
  if (isExport) return names;
  for (const [, clause = '', from = ''] of text.slice(0, 200_000).matchAll(required)) {
    names.push(...bindings({ clause: clause.replaceAll(':', ' as '), from }));
  }
  return names;
}

function bindings({ clause, from }: { readonly clause: string; readonly from: string }): ImportedName[] {
  const [opening, closing] = [clause.indexOf('{'), `${clause}}`.indexOf('}')];
  const inside = opening < 0 ? '' : clause.slice(opening + 1, closing);
  const named = inside.split(',').flatMap((part): ImportedName[] => {
    const [, remote, local = remote] = /^(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(part.trim()) ?? [];
    return remote === undefined || local === undefined ? [] : [{ local, remote, from }];
  });
  const around = opening < 0 ? clause : `${clause.slice(0, opening)}${clause.slice(closing + 1)}`;
  const outside = around
    .trim()
    .replace(/^type\s/, '')
    .trim();
  const all = /\*(?:\s+as\s+([\w$]+))?/.exec(outside);
  const first = /^([\w$]+)\s*(?:,|$)/.exec(outside)?.[1];
  return [
    ...(first !== undefined && first !== 'type' ? [{ local: first, remote: 'default', from }] : []),
    ...(all ? [{ local: all[1] ?? '*', remote: '*', from }] : []),
    ...named,
  ];
}

const extensions = ['.ts', '.tsx', '.d.ts', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/**
 * The files that an import may mean, most likely first, from the root: by relative path, by `paths` and `baseUrl` of the
 * nearest `tsconfig.json`, by `imports` of the nearest `package.json`, and for packages of the workspace itself. None for
 * other packages.
 *
 * @example
 * await importCandidates({ path: 'src/a.ts', from: '@app/b', files }); // with "@app/*": ["./src/*"]: ['src/b.ts', …]
 */
export async function importCandidates(of: {
  readonly path: string;
  readonly from: string;
  readonly files: WorkspaceFiles;
}): Promise<string[]> {
  const { path, from, files } = of;
  const folder = folderOf(path);
  if (from.startsWith('.')) return filesFor(joined({ folder, path: from }));
  if (from.startsWith('#')) return await byPackageImports(of);
  const [, name = from, inside = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(from) ?? [];
  const packageFolder = files.packageFolder(name);
  const own = packageFolder === undefined ? [] : await ofPackage({ folder: packageFolder, inside, files });
  return [...(await byCompilerPaths({ folder, from, files })), ...own];
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** A path from the root; `undefined` where it leads out of it. */
function joined({ folder, path }: { readonly folder: string; readonly path: string }): string | undefined {
  const parts = folder.split('/').filter(Boolean);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** The source files that a path without a certain extension may mean. */
function filesFor(base: string | undefined): string[] {
  if (base === undefined) return [];
  const bare = base.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
  return [
    ...(/\.[cm]?[jt]sx?$/.test(base) ? [base] : []),
    ...(bare === base ? [] : [`${bare}.ts`, `${bare}.tsx`, `${bare}.mts`, `${bare}.cts`]),
    ...extensions.map((extension) => `${base}${extension}`),
    ...extensions.map((extension) => (base === '' ? `index${extension}` : `${base}/index${extension}`)),
  ];
}

/** The nearest file of a name, from a folder up to the root. */
async function nearest(of: {
  readonly folder: string;
  readonly name: string;
  readonly files: WorkspaceFiles;
}): Promise<{ readonly folder: string; readonly value: JsonFields } | undefined> {
  const parts = of.folder.split('/').filter(Boolean);
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const folder = parts.slice(0, depth).join('/');
    const value = await readJson({ path: joined({ folder, path: of.name }), files: of.files });
    if (value) return { folder, value };
  }
  return undefined;
}

type JsonFields = Readonly<Record<string, unknown>>;

async function readJson(of: {
  readonly path: string | undefined;
  readonly files: WorkspaceFiles;
}): Promise<JsonFields | undefined> {
  const text = of.path === undefined ? undefined : await of.files.read(of.path);
  if (text === undefined || text.length > largestJson) return undefined;
  const errors: ParseError[] = [];
  return asObject(parse(text, errors, { allowTrailingComma: true }));
}

const largestJson = 200_000;

function asObject(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined;
}

function stringsIn(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === 'string');
}

async function byCompilerPaths(of: {
  readonly folder: string;
  readonly from: string;
  readonly files: WorkspaceFiles;
}): Promise<string[]> {
  const config = await nearest({ folder: of.folder, name: 'tsconfig.json', files: of.files });
  const options = config && (await pathOptions({ ...config, files: of.files, depth: 0 }));
  if (!options) return [];
  const aliased = matching({ patterns: options.paths, name: of.from }).flatMap((target) =>
    filesFor(joined({ folder: options.pathsFolder, path: target })),
  );
  return options.baseUrl === undefined
    ? aliased
    : [...aliased, ...filesFor(joined({ folder: options.baseUrl, path: of.from }))];
}

interface PathOptions {
  readonly paths: JsonFields;
  /** What targets of `paths` are relative to. */
  readonly pathsFolder: string;
  readonly baseUrl: string | undefined;
}

const deepestExtends = 4;

/** `paths` and `baseUrl` of a configuration, or of those that it extends. */
async function pathOptions(of: {
  readonly folder: string;
  readonly value: JsonFields;
  readonly files: WorkspaceFiles;
  readonly depth: number;
}): Promise<PathOptions | undefined> {
  const { folder, value, files, depth } = of;
  const options = asObject(value.compilerOptions);
  const base = typeof options?.baseUrl === 'string' ? joined({ folder, path: options.baseUrl }) : undefined;
  const paths = asObject(options?.paths);
  if (paths || base !== undefined) return { paths: paths ?? {}, pathsFolder: base ?? folder, baseUrl: base };
  if (depth >= deepestExtends) return undefined;
  for (const name of stringsIn(value.extends).reverse()) {
    if (!name.startsWith('.')) continue;
    const path = joined({ folder, path: name.endsWith('.json') ? name : `${name}.json` });
    const extended = await readJson({ path, files });
    const found =
      path !== undefined && extended
        ? await pathOptions({ folder: folderOf(path), value: extended, files, depth: depth + 1 })
        : undefined;
    if (found) return found;
  }
  return undefined;
}

/** The targets of the pattern that names it best: exactly, else with the longest text before its `*`. */
function matching({ patterns, name }: { readonly patterns: JsonFields; readonly name: string }): string[] {
  const exact = patterns[name];
  if (exact !== undefined) return targetsIn(exact);
  let best: { readonly length: number; readonly value: unknown; readonly star: string } | undefined;
  for (const [pattern, value] of Object.entries(patterns)) {
    const star = pattern.indexOf('*');
    if (star < 0) continue;
    const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
    const isMatch = name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    if (isMatch && star >= (best?.length ?? 0))
      best = { length: star, value, star: name.slice(star, name.length - after.length) };
  }
  const { value, star = '' } = best ?? {};
  return targetsIn(value).map((target) => target.replace('*', () => star));
}

const mostTargets = 16;

/** All paths in a target of `package.json` or `tsconfig.json`: one, a list, or one for each condition. */
function targetsIn(value: unknown): string[] {
  const object = asObject(value);
  const inner = Array.isArray(value) ? value : object ? Object.values(object) : undefined;
  return (inner ? inner.flatMap(targetsIn) : stringsIn(value)).slice(0, mostTargets);
}

async function byPackageImports(of: {
  readonly path: string;
  readonly from: string;
  readonly files: WorkspaceFiles;
}): Promise<string[]> {
  const found = await nearest({ folder: folderOf(of.path), name: 'package.json', files: of.files });
  const patterns = asObject(found?.value.imports);
  if (!found || !patterns) return [];
  return matching({ patterns, name: of.from }).flatMap((target) => sourcesOf({ folder: found.folder, target }));
}

/** The sources behind an entry of a package of the workspace. */
async function ofPackage(of: {
  readonly folder: string;
  readonly inside: string;
  readonly files: WorkspaceFiles;
}): Promise<string[]> {
  const { folder, inside, files } = of;
  const value = await readJson({ path: joined({ folder, path: 'package.json' }), files });
  const entries = asObject(value?.exports);
  const key = inside === '' ? '.' : `./${inside}`;
  const hasKeys = entries !== undefined && Object.keys(entries).some((name) => name.startsWith('.'));
  const exported = hasKeys ? matching({ patterns: entries, name: key }) : key === '.' ? targetsIn(value?.exports) : [];
  const usual =
    inside === '' ? [...stringsIn([value?.types, value?.module, value?.main]), './src/index', './index'] : [];
  const named = inside === '' ? [] : [`./src/${inside}`, `./${inside}`];
  return [...exported, ...usual, ...named].flatMap((target) => sourcesOf({ folder, target }));
}

const outputFolder = /^\.?\/?(?:dist|lib|build|out|esm|cjs|types)\//;

/** What a target is made from comes first where it is in a folder of build output. */
function sourcesOf({ folder, target }: { readonly folder: string; readonly target: string }): string[] {
  const source = outputFolder.test(target)
    ? target.replace(outputFolder, './src/').replace(/(?:\.d)?\.[cm]?[jt]s$/, '')
    : undefined;
  return [source, target].flatMap((path) => (path === undefined ? [] : filesFor(joined({ folder, path }))));
}
