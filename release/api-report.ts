import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** What is read of a node of the syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A module of declarations: what it declares, imports and exports, by name. */
interface DeclarationModule {
  readonly path: string;
  readonly text: string;
  readonly declarations: ReadonlyMap<string, readonly SyntaxNode[]>;
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exports: ReadonlyMap<string, { readonly from?: string; readonly name: string }>;
  readonly stars: readonly string[];
}

/** A declaration that users can see: exported, or named by one that is. */
interface Reached {
  readonly name: string;
  readonly text: string;
}

/**
 * The public types of a built package as text: the names that each entry exports, then every declaration that they reach,
 * without comments and sorted by name. It changes exactly when a user could see a change.
 *
 * @example
 * const text = apiReport({ folder: 'packages/engine', exports: manifest.exports });
 */
export function apiReport({
  folder,
  exports,
}: {
  readonly folder: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}): string {
  const modules = createModules();
  const reached = new Map<string, Reached>();
  const entries = Object.entries(exports).flatMap(([subpath, target]) => {
    const types = typeof target === 'string' ? undefined : target.types;
    if (types === undefined) return [];
    const names = modules.namesOf(join(folder, types));
    for (const [, place] of names) reach({ modules, place, reached });
    return [
      `${subpath}\n${[...names.keys()]
        .toSorted()
        .map((name) => `  ${name}\n`)
        .join('')}`,
    ];
  });
  const declarations = [...reached.values()]
    .toSorted((a, b) => (a.name === b.name ? compare(a.text, b.text) : compare(a.name, b.name)))
    .map(({ text }) => `${text}\n`);
  return `${entries.join('\n')}\n${declarations.join('\n')}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Where a name is declared: in a module of the package, or outside of it. */
interface Place {
  readonly module: DeclarationModule;
  readonly name: string;
}

interface Modules {
  /** The names that a module exports, and where each is declared. */
  namesOf(path: string): Map<string, Place>;
  /** Where a name that a module uses is declared; `undefined` for globals and for what other packages declare. */
  find(place: Place): Place | undefined;
}

function createModules(): Modules {
  const read = new Map<string, DeclarationModule>();
  const load = (path: string) => {
    const known = read.get(path) ?? readModule(path);
    read.set(path, known);
    return known;
  };
  const find = ({ module, name }: Place): Place | undefined => {
    if (module.declarations.has(name)) return { module, name };
    const imported = module.imports.get(name);
    if (!imported?.from.startsWith('.')) return undefined;
    return namesOf(neighbor({ module, from: imported.from })).get(imported.name);
  };
  const namesOf = (path: string): Map<string, Place> => {
    const module = load(path);
    const names = new Map<string, Place>();
    for (const from of module.stars)
      if (from.startsWith('.')) for (const [name, place] of namesOf(neighbor({ module, from }))) names.set(name, place);
    for (const [exported, { from, name }] of module.exports) {
      const place = from?.startsWith('.')
        ? namesOf(neighbor({ module, from })).get(name)
        : (find({ module, name }) ?? { module, name });
      if (place) names.set(exported, place);
    }
    return names;
  };
  return { namesOf, find };
}

function neighbor({ module, from }: { readonly module: DeclarationModule; readonly from: string }): string {
  return join(dirname(module.path), from.replace(/\.js$/, '.d.ts'));
}

/** Adds a declaration, and all that it names. */
function reach({
  modules,
  place,
  reached,
}: {
  readonly modules: Modules;
  readonly place: Place;
  readonly reached: Map<string, Reached>;
}): void {
  const { module, name } = place;
  const key = `${module.path} ${name}`;
  const nodes = module.declarations.get(name);
  if (reached.has(key) || !nodes) return;
  reached.set(key, { name: plainName(name), text: nodes.map((node) => textOf({ node, module })).join('\n') });
  for (const node of nodes)
    for (const used of namesIn(node)) {
      const found = modules.find({ module, name: used });
      if (found) reach({ modules, place: found, reached });
    }
}

/** The bundler numbers names that several modules declare. */
function plainName(name: string): string {
  return name.replace(/\$\d+$/, '');
}

function textOf({ node, module }: { readonly node: SyntaxNode; readonly module: DeclarationModule }): string {
  const { comments } = parseSync('declaration.d.ts', module.text.slice(node.start, node.end));
  let text = module.text.slice(node.start, node.end);
  for (const { start, end } of comments.toReversed()) text = text.slice(0, start) + text.slice(end);
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll(/\b(\w+)\$\d+\b/g, '$1');
}

function namesIn(node: unknown, names: Set<string> = new Set()): Set<string> {
  if (Array.isArray(node)) for (const each of node) namesIn(each, names);
  else if (typeof node === 'object' && node !== null) {
    const { type, name } = node as { readonly type?: string; readonly name?: string };
    if (type === 'Identifier' && typeof name === 'string') names.add(name);
    for (const value of Object.values(node)) if (typeof value === 'object') namesIn(value, names);
  }
  return names;
}

function readModule(path: string): DeclarationModule {
  const text = readFileSync(path, 'utf8');
  const declarations = new Map<string, SyntaxNode[]>();
  const imports = new Map<string, { from: string; name: string }>();
  const exports = new Map<string, { from?: string; name: string }>();
  const stars: string[] = [];
  const declare = (statement: SyntaxNode, declared: SyntaxNode): string[] => {
    const ids =
      declared.type === 'VariableDeclaration'
        ? (declared.declarations as readonly SyntaxNode[]).map(({ id }) => id as SyntaxNode)
        : [declared.id as SyntaxNode];
    const names = ids.map((id) => String(id.name ?? id.value));
    for (const name of names) declarations.set(name, [...(declarations.get(name) ?? []), statement]);
    return names;
  };
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  for (const statement of program.body as unknown as SyntaxNode[]) {
    const from = (statement.source as { readonly value?: string } | null)?.value;
    const specifiers = (statement.specifiers ?? []) as readonly SyntaxNode[];
    const nameOf = (node: unknown) => String((node as SyntaxNode).name ?? (node as SyntaxNode).value);
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported, type } of specifiers)
        imports.set(nameOf(local), {
          from: from ?? '',
          name: type === 'ImportSpecifier' ? nameOf(imported) : type === 'ImportDefaultSpecifier' ? 'default' : '*',
        });
    } else if (statement.type === 'ExportAllDeclaration') stars.push(from ?? '');
    else if (statement.type === 'ExportNamedDeclaration') {
      const declared = statement.declaration as SyntaxNode | null;
      if (declared) for (const name of declare(statement, declared)) exports.set(name, { name });
      for (const { local, exported } of specifiers)
        exports.set(nameOf(exported), { name: nameOf(local), ...(from !== undefined && { from }) });
    } else if (statement.id || statement.declarations) declare(statement, statement);
  }
  return { path, text, declarations, imports, exports, stars };
}
