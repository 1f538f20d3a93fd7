import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JsxOptions } from 'oxc-transform';
import { isRecord } from '../input/is-record.ts';
import { withoutComments } from './jsonc.ts';

/** Where JSX comes from unless the file or its tsconfig says otherwise: the entry that the file is written for. */
const entries = { own: 'longhaul/prompt', compat: 'longhaul/prompt/compat' } as const;
const forCompat = /\bfrom\s*['"](longhaul\/prompt\/compat|@vscode\/prompt-tsx)['"/]/;

/** What a tsconfig says about JSX. */
interface CompilerOptions {
  readonly jsx?: unknown;
  readonly jsxFactory?: unknown;
  readonly jsxFragmentFactory?: unknown;
  readonly jsxImportSource?: unknown;
}

/** A chain of settings files longer than this is a circle. */
const mostExtends = 8;

/**
 * How the JSX of a file is compiled: with a factory or with an import source, as comments in the file itself say (`@jsx`,
 * `@jsxImportSource`), or else the nearest tsconfig.json.
 *
 * @example
 * jsxOptionsFor({ file: '/project/agent.tsx', source: '' }); // { runtime: 'automatic', importSource: 'longhaul/prompt' }
 */
export function jsxOptionsFor({ file, source }: { readonly file: string; readonly source: string }): JsxOptions {
  const pragma = (name: string) => new RegExp(`^\\s*(?:/\\*|\\*|//).*@${name}\\s+([\\w$./@-]+)`, 'm').exec(source)?.[1];
  const factory = pragma('jsx');
  // A factory in the file means the classic way, as it does to TypeScript; other compilers want that said as well.
  if (factory !== undefined)
    return { runtime: 'classic', pragma: factory, pragmaFrag: pragma('jsxFrag') ?? 'Fragment' };
  const from = pragma('jsxImportSource');
  if (from !== undefined) return { runtime: 'automatic', importSource: from };
  const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource } = nearest(dirname(file));
  if (jsx === 'react' && typeof jsxFactory === 'string') {
    const pragmaFrag = typeof jsxFragmentFactory === 'string' ? jsxFragmentFactory : 'Fragment';
    return { runtime: 'classic', pragma: jsxFactory, pragmaFrag };
  }
  const usual = forCompat.test(source) ? entries.compat : entries.own;
  return { runtime: 'automatic', importSource: typeof jsxImportSource === 'string' ? jsxImportSource : usual };
}

function nearest(folder: string): CompilerOptions {
  for (let at = folder; ; at = dirname(at)) {
    const found = read({ file: join(at, 'tsconfig.json'), depth: 0 });
    if (found) return found;
    if (dirname(at) === at) return {};
  }
}

/** What a settings file says, on top of what it extends; `undefined` where there is none. What is broken says nothing. */
function read({ file, depth }: { readonly file: string; readonly depth: number }): CompilerOptions | undefined {
  let value: unknown;
  try {
    // A pipe in its place would block.
    if (statSync(file).isFile()) value = JSON.parse(withoutComments(readFileSync(file, 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : {};
  }
  if (!isRecord(value)) return {};
  const own = isRecord(value.compilerOptions) ? value.compilerOptions : {};
  const bases = [value.extends].flat().filter((each) => typeof each === 'string' && each.startsWith('.'));
  if (depth >= mostExtends) return own;
  const inherited = bases.map((base) => {
    const path = resolve(dirname(file), base as string);
    return read({ file: path.endsWith('.json') ? path : `${path}.json`, depth: depth + 1 }) ?? {};
  });
  return Object.assign({}, ...inherited, own);
}
