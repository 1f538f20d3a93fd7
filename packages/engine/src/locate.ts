/**
 * The one rule that finds a file of this package from source and from dist. Source and dist have the same folders
 * below the package's root, whereas a bundler may move code between files, so the rule looks for the root in the
 * running module's own address: all before the last `/src/` or `/dist/`.
 *
 * @example
 * new Worker(locate({ from: import.meta.url, module: 'tokens/worker' })); // src/tokens/worker.ts, dist/tokens/worker.js
 * readFile(locate({ from: import.meta.url, file: 'tables/o200k_base.bin' }));
 */
export function locate(
  what: { readonly from: string } & ({ readonly module: string } | { readonly file: string }),
): URL {
  const found = /^(.*\/)(src|dist)\/[^?#]*$/.exec(what.from);
  const [, root = new URL('./', what.from).href, tree = 'dist'] = found ?? [];
  if ('file' in what) return new URL(what.file, root);
  return new URL(`${tree}/${what.module}${tree === 'src' ? '.ts' : '.js'}`, root);
}
