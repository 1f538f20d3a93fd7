import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** One import of a source file: what it asks for, and where that is if it is a file of ours. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Types vanish when the code runs; a boundary of meaning holds for them all the same. */
  readonly isType: boolean;
}

export const root: string = join(import.meta.dirname, '../..');

/** The sources of a folder without their tests, as paths from the root. */
export function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[mc]?tsx?$/.test(name) && !/\.(test|arbitrary)\.tsx?$|(^|\/)fixtures\//.test(name))
    .map((name) => join(folder, name))
    .sort();
}

/** Every import and re-export of a file. */
export function importsOf(file: string): Import[] {
  return parseImports({ file, text: readFileSync(join(root, file), 'utf8') });
}

const statement = /^[ \t]*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"`]([^'"`]+)['"`]/g;

export function parseImports({ file, text }: { readonly file: string; readonly text: string }): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  const resolve = (target: string) =>
    target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target;
  return [
    ...[...code.matchAll(statement)].map(([, type, target = '']) => ({
      from: file,
      to: resolve(target),
      isType: type !== undefined,
    })),
    ...[...code.matchAll(dynamic)].map(([, target = '']) => ({ from: file, to: resolve(target), isType: false })),
  ];
}
