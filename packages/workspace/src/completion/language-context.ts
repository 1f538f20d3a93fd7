import { readStructure } from '../structure/read-structure.ts';
import { walk } from '../structure/structure.ts';
import { type Declaration, declarationsIn, declarationText } from './declarations.ts';
import { type ImportedName, importCandidates, importsOf } from './imports.ts';
import { type ContextItem, priorities } from './item.ts';

/** Reads files of the workspace, from the editor where they are open; `undefined` for what is not there or not to be read. */
export type ReadFile = (path: string) => Promise<string | undefined>;

const mostForOne = 2_000;
const deepestExports = 3;
const mostImports = 20;

/**
 * What the code at a cursor in a TypeScript or JavaScript file refers to, most important first: what the expression is
 * about, what the enclosing function uses, inherited and enclosing types, other imports. Found by syntax and import
 * resolution alone, so that there is nothing to start and nothing to wait for.
 */
export async function* languageContext(of: {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  readonly read: ReadFile;
}): AsyncGenerator<ContextItem> {
  const { path, text, offset, read } = of;
  if (!/\.[cm]?[jt]sx?$/.test(path)) return;
  const imports = new Map(importsOf({ text }).map((name) => [name.local, name]));
  const own = await declarationsIn({ path, text });
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const around = await enclosing({ path, text, offset });
  const wanted = wordsIn(around.scope);
  const given = new Set<string>();

  const find = async (name: string): Promise<Declaration | undefined> => {
    const imported = imports.get(name);
    return imported ? await resolve({ path, imported, read, depth: 0 }) : own.get(name);
  };
  const item = async (name: string, kind: ContextItem['kind'], reason: string): Promise<ContextItem[]> => {
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
  const trait = await compilerOptions({ path, read });
  if (trait) yield trait;
  for (const name of around.properties)
    yield* await item(name, 'property', `a property of ${around.type} has the type \`${name}\``);
  for (const name of [...imports.keys()].slice(0, mostImports))
    yield* await item(name, 'import', `\`${name}\` is imported`);
}

/** The function and the type around a position. */
async function enclosing(of: { readonly path: string; readonly text: string; readonly offset: number }) {
  const { path, text, offset } = of;
  const { root } = await readStructure({ path, text });
  const around = [...walk(root)].map(({ node }) => node).filter(({ start, end }) => start <= offset && offset <= end);
  const scope = around.findLast(({ kind }) => kind === 'function' || kind === 'method' || kind === 'constructor');
  const type = around.findLast(({ kind }) => kind === 'class' || kind === 'interface');
  const heading = type ? (text.slice(type.start, type.end).split('{', 1)[0] ?? '') : '';
  const inherited = /\b(?:extends|implements)\b([^{]{0,500})/.exec(heading)?.[1] ?? '';
  const fields = type?.children.filter(({ kind }) => kind === 'field') ?? [];
  return {
    scope: scope ? text.slice(scope.start, scope.end).slice(0, 20_000) : '',
    name: scope?.name === undefined ? 'the function around the cursor' : `\`${scope.name}\``,
    type: type?.name === undefined ? 'the type around the cursor' : `\`${type.name}\``,
    inherited: wordsIn(inherited),
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
  readonly read: ReadFile;
  readonly depth: number;
}): Promise<Declaration | undefined> {
  const { imported, read, depth } = of;
  for (const path of importCandidates({ path: of.path, from: imported.from })) {
    const text = await read(path);
    if (text === undefined) continue;
    const found = (await declarationsIn({ path, text })).get(imported.remote);
    if (found || depth >= deepestExports) return found;
    const passed = importsOf({ text, isExport: true }).filter(
      ({ local }) => local === imported.remote || local === '*',
    );
    for (const { remote, from } of passed) {
      const next = { remote: remote === '*' ? imported.remote : remote, from };
      const further = await resolve({ path, imported: next, read, depth: depth + 1 });
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
  read,
}: {
  readonly path: string;
  readonly read: ReadFile;
}): Promise<ContextItem | undefined> {
  const folders = path.split('/').slice(0, -1);
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const config = [...folders.slice(0, depth), 'tsconfig.json'].join('/');
    const text = await read(config);
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
