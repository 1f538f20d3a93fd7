import { readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ParseError, parse } from 'jsonc-parser';
import { LonghaulError } from 'longhaul';
import type { JsxOptions, TransformOptions, TransformResult } from 'oxc-transform';
import { reasonOf } from '../errors/file-errors.ts';
import { isRecord } from '../input/is-record.ts';

/** An executed prompt file, and how it must be rendered. */
export interface ImportedPrompts {
  readonly exports: Readonly<Record<string, unknown>>;
  /** Whether it is written for prompt-tsx and rendered by its rules. */
  readonly isCompat: boolean;
  /** Stops compiling imports. */
  readonly close: () => void;
}

const source = /\.(tsx|jsx|ts|mts)$/;

/** prompt-tsx imports resolve to our compatible entry. */
const original = /^@vscode\/prompt-tsx(?=\/|$)/;

/**
 * Executes a prompt file with its imports. TypeScript and JSX are compiled on the fly. Wherever the file is,
 * `longhaul/prompt` resolves to this program's own copy, so that both use the same classes.
 *
 * @example
 * const { exports, close } = await importPrompts({ path: '/project/agent.tsx', cwd: '/project' });
 */
export async function importPrompts({
  path,
  cwd,
}: {
  readonly path: string;
  readonly cwd: string;
}): Promise<ImportedPrompts> {
  const { transformSync } = await import('oxc-transform');
  const own = new URL('.', pathToFileURL(createRequire(import.meta.url).resolve('longhaul/package.json'))).href;
  let isCompat = false;
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const wanted = specifier.replace(original, 'longhaul/prompt/compat');
      if (!/^longhaul(\/|$)/.test(wanted)) return nextResolve(specifier, context);
      if (wanted.startsWith('longhaul/prompt/compat')) isCompat = true;
      return nextResolve(wanted, { ...context, parentURL: import.meta.url });
    },
    load(url, context, nextLoad) {
      const isOurs = url.startsWith(own) || url.includes('/node_modules/') || !url.startsWith('file:');
      const { pathname } = new URL(url);
      if (isOurs || !source.test(pathname)) return nextLoad(url, context);
      const file = fileURLToPath(url);
      const text = readFileSync(file, 'utf8');
      const jsx = jsxOptionsFor({ file, source: text });
      const code = compile({ file, name: nameOf({ file, cwd }), source: text, jsx, transform: transformSync });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
  const close = () => hooks.deregister();
  try {
    const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
    return {
      exports,
      get isCompat() {
        return isCompat;
      },
      close,
    };
  } catch (error) {
    close();
    if (LonghaulError.is(error)) throw error;
    throw new LonghaulError({
      code: 'prompt-failed',
      message: `${nameOf({ file: path, cwd })} failed to load: ${reasonOf(error)}.`,
      hint: 'Fix it or its imports; --debug shows where it happened.',
      cause: error,
    });
  }
}

/** Relative if the file is below the working directory. */
function nameOf({ file, cwd }: { readonly file: string; readonly cwd: string }): string {
  const near = relative(cwd, file);
  return near === '' || near.startsWith('..') ? file : near;
}

type Transform = (file: string, source: string, options: TransformOptions) => TransformResult;

/**
 * Compiles TypeScript and JSX to JavaScript. Syntax errors are reported with their position.
 *
 * @example
 * compile({ file: '/x/a.tsx', name: 'a.tsx', source, jsx: { importSource: 'longhaul/prompt' }, transform: transformSync });
 */
function compile({
  file,
  name,
  source,
  jsx,
  transform,
}: {
  readonly file: string;
  /** Its name in messages. */
  readonly name: string;
  readonly source: string;
  readonly jsx: JsxOptions;
  readonly transform: Transform;
}): string {
  const { code, errors } = transform(file, source, { jsx, sourcemap: false, target: 'es2024' });
  const [error] = errors;
  if (!error) return code;
  const at = placeOf({ source, offset: error.labels[0]?.start ?? 0 });
  throw new LonghaulError({
    code: 'prompt-syntax',
    message: `${name}:${at} cannot be compiled: ${error.message.replace(/\.$/, '')}.`,
    hint: error.helpMessage ?? 'Fix it and try again.',
  });
}

/** `line:column`, both from 1. Offsets are in UTF-16 units. */
function placeOf({ source, offset }: { readonly source: string; readonly offset: number }): string {
  const before = source.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The default JSX import source: the entry that the file is written for. */
const entries = { own: 'longhaul/prompt', compat: 'longhaul/prompt/compat' } as const;
const forCompat = /\bfrom\s*['"](longhaul\/prompt\/compat|@vscode\/prompt-tsx)['"/]/;

/** The JSX options of a tsconfig. */
interface CompilerOptions {
  readonly jsx?: unknown;
  readonly jsxFactory?: unknown;
  readonly jsxFragmentFactory?: unknown;
  readonly jsxImportSource?: unknown;
}

/** A longer chain of `extends` is circular. */
const mostExtends = 8;

/**
 * The JSX options of a file: from comments in the file (`@jsx`, `@jsxImportSource`), otherwise from the nearest
 * tsconfig.json.
 *
 * @example
 * jsxOptionsFor({ file: '/project/agent.tsx', source: '' }); // { runtime: 'automatic', importSource: 'longhaul/prompt' }
 */
function jsxOptionsFor({ file, source }: { readonly file: string; readonly source: string }): JsxOptions {
  const pragma = (name: string) => new RegExp(`^\\s*(?:/\\*|\\*|//).*@${name}\\s+([\\w$./@-]+)`, 'm').exec(source)?.[1];
  const factory = pragma('jsx');
  // As in TypeScript, a factory in the file implies the classic runtime; the compiler needs it stated.
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

/** The options of a tsconfig with those it extends; `undefined` if there is none. Invalid files are ignored. */
function read({ file, depth }: { readonly file: string; readonly depth: number }): CompilerOptions | undefined {
  let value: unknown;
  try {
    // Reading a pipe would block.
    if (statSync(file).isFile()) value = parseTsconfig(readFileSync(file, 'utf8'));
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

/**
 * Reads JSON with the comments and trailing commas that a tsconfig may contain; throws where it is invalid.
 *
 * @example
 * parseTsconfig('{ "a": 1, } // one'); // { a: 1 }
 */
export function parseTsconfig(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  // The parser recovers from errors and would return a part of the file.
  if (errors.length > 0) throw new SyntaxError('Invalid JSON with comments');
  return value;
}
