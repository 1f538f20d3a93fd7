import { readStructure } from '../structure/read-structure.ts';
import { type StructureNode, walk } from '../structure/structure.ts';
import { type ImportedName, importCandidates, importsOf } from './imports.ts';
import { type CompletionItem, priorities } from './item.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const mostForOne = 2_000;
const deepestExports = 3;
const mostImports = 20;
const mostBlueprints = 2;

/**
 * What the code at a cursor in a TypeScript or JavaScript file refers to, most important first: what the expression is
 * about, what the enclosing function uses, inherited types, classes that inherit from the same types, types of properties,
 * other imports, global declarations. Found by syntax and import resolution alone, so that there is nothing to start and
 * nothing to wait for.
 */
export async function* languageContext(of: {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  /** Files that were looked at lately, from the root. */
  readonly neighbors: readonly string[];
  readonly files: WorkspaceFiles;
}): AsyncGenerator<CompletionItem> {
  const { path, text, offset, neighbors, files } = of;
  if (!/\.[cm]?[jt]sx?$/.test(path)) return;
  const imports = new Map(importsOf({ text }).map((name) => [name.local, name]));
  const own = await declarationsIn({ path, text });
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const around = await enclosing({ path, text, offset });
  const wanted = wordsIn(around.scope);
  const given = new Set<string>();

  const find = async (name: string): Promise<Declaration | undefined> => {
    const imported = imports.get(name);
    return imported ? await resolve({ path, imported, files, depth: 0 }) : own.get(name);
  };
  const item = async (name: string, kind: CompletionItem['kind'], reason: string): Promise<CompletionItem[]> => {
    if (given.has(name)) return [];
    const declaration = await find(name);
    // Text that is already in the prefix or the suffix is not repeated.
    if (!declaration || declaration.path === path) return [];
    given.add(name);
    const body = declarationText({ declaration, characters: mostForOne, wanted });
    return body === '' ? [] : [{ kind, priority: priorities[kind], path: declaration.path, text: body, reason }];
  };

  for (const name of wordsIn(line)) yield* await item(name, 'expression', `\`${name}\` is on the line of the cursor`);
  for (const name of wanted) yield* await item(name, 'local', `\`${name}\` is used in ${around.name}`);
  for (const name of around.inherited) yield* await item(name, 'inherited', `${around.type} inherits from \`${name}\``);
  const trait = await compilerOptions({ path, files });
  if (trait) yield trait;
  yield* blueprints({ path, neighbors, files, inherited: around.inherited, wanted });
  for (const name of around.properties)
    yield* await item(name, 'property', `a property of ${around.type} has the type \`${name}\``);
  for (const name of [...imports.keys()].slice(0, mostImports))
    yield* await item(name, 'import', `\`${name}\` is imported`);
  const isUnknown = (name: string) => !given.has(name) && !imports.has(name) && !own.has(name);
  const used = new Set([...wordsIn(line), ...wanted].filter(isUnknown));
  yield* globals({ path, neighbors, files, used });
}

/** Other classes that inherit from the same types, as examples of how such a class is written. */
async function* blueprints(of: {
  readonly path: string;
  readonly neighbors: readonly string[];
  readonly files: WorkspaceFiles;
  readonly inherited: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
}): AsyncGenerator<CompletionItem> {
  if (of.inherited.size === 0) return;
  let left = mostBlueprints;
  for (const path of of.neighbors) {
    const text = path === of.path ? undefined : await of.files.read(path);
    if (text === undefined) continue;
    for (const declaration of (await declarationsIn({ path, text })).values()) {
      if (declaration.node.kind !== 'class') continue;
      const shared = [...inheritedBy({ text, node: declaration.node })].find((name) => of.inherited.has(name));
      if (shared === undefined) continue;
      const body = declarationText({ declaration, characters: mostForOne, wanted: of.wanted });
      const reason = `\`${declaration.name}\` inherits from \`${shared}\` as well`;
      if (body !== '') yield { kind: 'blueprint', priority: priorities.blueprint, path, text: body, reason };
      left -= 1;
      if (left === 0) return;
    }
  }
}

/** Usual names of files with global declarations, next to a file or in a folder above it. */
const globalFiles = ['globals.d.ts', 'global.d.ts', 'env.d.ts', 'types/globals.d.ts', 'types/global.d.ts'];

/** Global declarations of names that are used and come from nowhere else. */
async function* globals(of: {
  readonly path: string;
  readonly neighbors: readonly string[];
  readonly files: WorkspaceFiles;
  readonly used: ReadonlySet<string>;
}): AsyncGenerator<CompletionItem> {
  if (of.used.size === 0) return;
  const folders = of.path.split('/').slice(0, -1);
  const usual = Array.from({ length: folders.length + 1 }, (_, up) => folders.slice(0, folders.length - up)).flatMap(
    (folder) => globalFiles.map((name) => [...folder, name].join('/')),
  );
  const open = of.neighbors.filter((path) => path.endsWith('.d.ts'));
  for (const path of new Set([...open, ...usual])) {
    const text = path === of.path ? undefined : await of.files.read(path);
    if (text === undefined) continue;
    const declarations = await declarationsIn({ path, text, isAmbient: true });
    for (const name of of.used) {
      const declaration = declarations.get(name);
      if (!declaration) continue;
      const body = declarationText({ declaration, characters: mostForOne, wanted: of.used });
      const reason = `\`${name}\` is a global declaration`;
      if (body !== '') yield { kind: 'global', priority: priorities.global, path, text: body, reason };
    }
  }
}

/** The names behind `extends` and `implements` in the heading of a type. */
function inheritedBy({ text, node }: { readonly text: string; readonly node: StructureNode }): Set<string> {
  const heading = text.slice(node.start, node.end).split('{', 1)[0] ?? '';
  return wordsIn(/\b(?:extends|implements)\b([^{]{0,500})/.exec(heading)?.[1]?.replace(/\bimplements\b/, ' ') ?? '');
}

/** The function and the type around a position. */
async function enclosing(of: { readonly path: string; readonly text: string; readonly offset: number }) {
  const { path, text, offset } = of;
  const { root } = await readStructure({ path, text });
  const around = [...walk(root)].map(({ node }) => node).filter(({ start, end }) => start <= offset && offset <= end);
  const scope = around.findLast(({ kind }) => kind === 'function' || kind === 'method' || kind === 'constructor');
  const type = around.findLast(({ kind }) => kind === 'class' || kind === 'interface');
  const fields = type?.children.filter(({ kind }) => kind === 'field') ?? [];
  return {
    scope: scope ? text.slice(scope.start, scope.end).slice(0, 20_000) : '',
    name: scope?.name === undefined ? 'the function around the cursor' : `\`${scope.name}\``,
    type: type?.name === undefined ? 'the type around the cursor' : `\`${type.name}\``,
    inherited: type ? inheritedBy({ text, node: type }) : new Set<string>(),
    properties: wordsIn(
      fields.map(({ start, end }) => text.slice(start, end).split('=', 1)[0]?.split(':')[1] ?? '').join(' '),
    ),
  };
}

function wordsIn(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]{1,80}/g));
}

/** Follows an import to its definition, through files that only pass it on. */
async function resolve(of: {
  readonly path: string;
  readonly imported: Pick<ImportedName, 'remote' | 'from'>;
  readonly files: WorkspaceFiles;
  readonly depth: number;
}): Promise<Declaration | undefined> {
  const { imported, files, depth } = of;
  for (const path of await importCandidates({ path: of.path, from: imported.from, files })) {
    const text = await files.read(path);
    if (text === undefined) continue;
    const found = (await declarationsIn({ path, text })).get(imported.remote);
    if (found || depth >= deepestExports) return found;
    const passed = importsOf({ text, isExport: true }).filter(
      ({ local }) => local === imported.remote || local === '*',
    );
    for (const { remote, from } of passed) {
      const next = { remote: remote === '*' ? imported.remote : remote, from };
      const further = await resolve({ path, imported: next, files, depth: depth + 1 });
      if (further) return further;
    }
    return undefined;
  }
  return undefined;
}

const options = ['target', 'module', 'moduleResolution', 'strict', 'jsx', 'verbatimModuleSyntax'];

/** What the nearest `tsconfig.json` says about the language. */
async function compilerOptions({
  path,
  files,
}: {
  readonly path: string;
  readonly files: WorkspaceFiles;
}): Promise<CompletionItem | undefined> {
  const folders = path.split('/').slice(0, -1);
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const config = [...folders.slice(0, depth), 'tsconfig.json'].join('/');
    const text = await files.read(config);
    if (text === undefined) continue;
    const said = options.flatMap((name) => {
      const value = new RegExp(`"${name}"\\s{0,20}:\\s{0,20}("[\\w-]{1,40}"|true|false)`).exec(
        text.slice(0, 20_000),
      )?.[1];
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    if (said.length === 0) return undefined;
    const reason = 'compiler options of the project';
    return { kind: 'trait', priority: priorities.trait, path: config, text: `// ${said.join(', ')}\n`, reason };
  }
  return undefined;
}

/** A definition in a file. */
interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly node: StructureNode;
}

const types = new Set(['class', 'interface', 'enum', 'type', 'module']);
const bodied = new Set(['function', 'method', 'constructor']);
const longestSignature = 600;

/** The definitions of a file by name; outer ones first. */
async function declarationsIn({
  path,
  text,
  isAmbient = false,
}: {
  readonly path: string;
  readonly text: string;
  /** With what is inside of `declare global`. */
  readonly isAmbient?: boolean;
}): Promise<Map<string, Declaration>> {
  const { root } = await readStructure({ path, text });
  const found = new Map<string, Declaration>();
  for (const { node, path: above } of walk(root)) {
    const isInside = above.some(
      ({ kind }) => bodied.has(kind) || (types.has(kind) && !(isAmbient && kind === 'module')),
    );
    if (node.name !== undefined && !isInside && !found.has(node.name))
      found.set(node.name, { path, name: node.name, text, node });
  }
  return found;
}

/**
 * A definition without the bodies of its functions, within a number of characters: members whose names are wanted first.
 */
function declarationText({
  declaration,
  characters,
  wanted,
}: {
  readonly declaration: Declaration;
  readonly characters: number;
  /** Words that occur near the cursor. */
  readonly wanted: ReadonlySet<string>;
}): string {
  const { text, node } = declaration;
  if (!types.has(node.kind)) return signature({ text, node }).slice(0, characters);
  const children = node.children.filter(({ kind }) => kind !== 'comment' && kind !== 'statement');
  const texts: string[] = [];
  let from = node.start;
  for (const child of children) {
    texts.push(gap({ text, from, to: child.start }));
    from = child.end;
  }
  texts.push(gap({ text, from, to: node.end }));
  const members = children.map(
    (child): DensityNode => ({
      texts: [`${signature({ text, node: child })}\n`],
      children: [],
      weight: child.name !== undefined && wanted.has(child.name) ? 1_000 : child.isPrivate ? 10 : 100,
    }),
  );
  return densest({ root: { texts, children: members, weight: 1_000_000 }, characters }).trimStart();
}

/** Between members only what holds them together: the heading and the closing bracket. */
function gap({ text, from, to }: { readonly text: string; readonly from: number; readonly to: number }): string {
  const between = text.slice(from, to);
  if (between.trim() === '') return '';
  return between.length > longestSignature ? `${between.slice(0, longestSignature)}…\n` : between;
}

/** What comes before the body. */
function signature({ text, node }: { readonly text: string; readonly node: StructureNode }): string {
  const whole = text
    .slice(node.start, node.end)
    .replace(/^\s*\n/, '')
    .trimEnd();
  const first = node.children[0];
  const head = bodied.has(node.kind) && first ? text.slice(node.start, first.start).replace(/^\s*\n/, '') : whole;
  const cut = bodied.has(node.kind) ? withoutBody(head) : head;
  return cut.length > longestSignature ? `${cut.slice(0, longestSignature)}…` : cut;
}

/** A heading that ends with `{`, `=>` or both ends with a semicolon instead. */
function withoutBody(head: string): string {
  const trimmed = head.trimEnd();
  const open = trimmed.endsWith('{') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  const cut = open.endsWith('=>') ? open.slice(0, -2).trimEnd() : open;
  return cut === trimmed ? head : `${cut};`;
}

/** A piece of text that may be left out, with pieces inside of it that may be left out as well. */
export interface DensityNode {
  /** Texts around the children: one more than there are children. */
  readonly texts: readonly string[];
  readonly children: readonly DensityNode[];
  /** How much it is worth to show it, without its children. */
  readonly weight: number;
}

interface Rated {
  readonly node: DensityNode;
  readonly cost: number;
  /** Value for each character, raised to that of the densest child where that is higher. */
  readonly density: number;
  /** Whether only a child makes it worth its cost. */
  readonly isRaised: boolean;
  readonly children: readonly Rated[];
}

const marker = '…';

/**
 * The most valuable parts of a tree within a number of characters: best first by value per character, a parent before its
 * children. A parent is rated as high as its best child with it, so that a valuable part is not lost behind a long frame.
 *
 * @example
 * densest({ root: { texts: ['class A {\n', '}\n'], children: [member], weight: 1 }, characters: 100 });
 */
export function densest({ root, characters }: { readonly root: DensityNode; readonly characters: number }): string {
  const top = rate(root);
  const chosen = new Set<Rated>();
  const order: Rated[] = [];
  const open = [top];
  let left = characters;
  while (open.length > 0) {
    const at = open.reduce((best, one, index) => (one.density > (open[best]?.density ?? 0) ? index : best), 0);
    const [next] = open.splice(at, 1);
    if (!next || next.cost > left) continue;
    left -= next.cost;
    chosen.add(next);
    order.push(next);
    open.push(...next.children);
  }
  for (;;) {
    const text = print({ top, chosen });
    const last = order.pop();
    if (text.length <= characters || !last) return text.length <= characters ? text : '';
    // Markers cost as well: what was added last goes until the text itself fits.
    chosen.delete(last);
  }
}

function rate(node: DensityNode): Rated {
  const children = node.children.map(rate);
  const cost = node.texts.reduce((sum, text) => sum + text.length, 0);
  const own = node.weight / Math.max(1, cost);
  const raised = children.reduce((best, child) => {
    const together = (node.weight + child.density * child.cost) / Math.max(1, cost + child.cost);
    return Math.max(best, together);
  }, own);
  return { node, cost, density: raised, isRaised: raised > own && node.weight === 0, children };
}

function print({ top, chosen }: { readonly top: Rated; readonly chosen: ReadonlySet<Rated> }): string {
  if (!isShown({ rated: top, chosen })) return '';
  const { node, children } = top;
  let text = node.texts[0] ?? '';
  children.forEach((child, index) => {
    const inner = print({ top: child, chosen });
    const isMarked = inner === '' && !text.trimEnd().endsWith(marker);
    text += inner === '' ? (isMarked ? `${marker}\n` : '') : inner;
    text += node.texts[index + 1] ?? '';
  });
  return text;
}

/** What is worth nothing by itself is shown only with something inside of it. */
function isShown({ rated, chosen }: { readonly rated: Rated; readonly chosen: ReadonlySet<Rated> }): boolean {
  if (!chosen.has(rated)) return false;
  return !rated.isRaised || rated.children.some((child) => isShown({ rated: child, chosen }));
}
