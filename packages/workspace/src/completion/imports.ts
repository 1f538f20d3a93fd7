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

/** The files that a relative import may mean, most likely first, from the root; none for packages. */
export function importCandidates({ path, from }: { readonly path: string; readonly from: string }): string[] {
  if (!from.startsWith('.')) return [];
  const parts = path.split('/').slice(0, -1);
  for (const part of from.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    // What leads out of the root is not looked at.
    else if (parts.pop() === undefined) return [];
  }
  const base = parts.join('/');
  const bare = base.replace(/\.[cm]?jsx?$/, '');
  return [
    ...(/\.[cm]?[jt]sx?$/.test(base) ? [base] : []),
    ...(bare === base ? [] : [`${bare}.ts`, `${bare}.tsx`, `${bare}.mts`, `${bare}.cts`]),
    ...extensions.map((extension) => `${base}${extension}`),
    ...extensions.map((extension) => (base === '' ? `index${extension}` : `${base}/index${extension}`)),
  ];
}
