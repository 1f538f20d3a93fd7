import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LonghaulError } from 'longhaul';
import { reasonOf } from '../errors/file-errors.ts';
import { compile } from './compile.ts';
import { jsxOptionsFor } from './jsx-options.ts';

/** A file of prompts that was run, and how it wants to be rendered. */
export interface ImportedPrompts {
  readonly exports: Readonly<Record<string, unknown>>;
  /** Whether it is written for prompt-tsx: it is rendered by its rules, then. */
  readonly isCompat: boolean;
  /** Later imports of the file are no longer compiled. */
  readonly close: () => void;
}

const source = /\.(tsx|jsx|ts|mts)$/;

/** Who writes for prompt-tsx gets what renders the same. */
const original = /^@vscode\/prompt-tsx(?=\/|$)/;

/**
 * Runs a file of prompts, with what it imports and nothing else. TypeScript and JSX are compiled on the way. Wherever the
 * file lies, `longhaul/prompt` is this program's own, so that both mean the same classes.
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
  const own = new URL('.', import.meta.resolve('longhaul/package.json')).href;
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
      cause: `${nameOf({ file: path, cwd })} failed while it was loaded: ${reasonOf(error)}.`,
      next: 'Mend it, or what it imports; --debug shows where it happened.',
      from: error,
    });
  }
}

/** As a person would say it: short where it is near. */
function nameOf({ file, cwd }: { readonly file: string; readonly cwd: string }): string {
  const near = relative(cwd, file);
  return near === '' || near.startsWith('..') ? file : near;
}
