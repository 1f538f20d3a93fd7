import { fits, nameTest, type PatternElement } from './wildcard.ts';

/** The rules of one ignore file. */
export interface IgnoreFile {
  /** The folder that the rules apply to: absolute, with slashes. */
  readonly folder: string;
  readonly text: string;
  /** Whether `A` and `a` are the same, as on the file systems of macOS and Windows. */
  readonly isCaseless?: boolean;
}

/** Decides by ignore files whether a path is skipped. Immutable. */
export interface Ignore {
  /** Adds the rules of a file; later rules win over earlier ones, deeper ones over those above. */
  with(file: IgnoreFile): Ignore;
  /** Takes an absolute path with slashes. The folders above it are not tested: a walk has skipped them already. */
  ignores(item: { readonly path: string; readonly isFolder: boolean }): boolean;
}

interface IgnoreRule {
  /** Takes the names of a path, and how many of them lead to the folder of the rule. */
  readonly matches: (names: readonly string[], depth: number) => boolean;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of one file, with the paths they apply to. */
interface IgnoreScope {
  /** The folder, with a slash at its end. */
  readonly prefix: string;
  /** Number of names in the prefix. */
  readonly depth: number;
  readonly isCaseless: boolean;
  readonly rules: readonly IgnoreRule[];
}

/**
 * The rules of gitignore(5). By hand because `ignore` 7.0.14 compiles to backtracking regular expressions: a rule with eight
 * `**` takes 0.3 s on one path of 30 folders, and each further one multiplies it. Here the time of a rule is at most the
 * product of the lengths of rule and path.
 *
 * @example
 * noIgnore.with({ folder: '/a', text: '*.log' }).ignores({ path: '/a/b/c.log', isFolder: false }); // true
 */
export const noIgnore: Ignore = make([]);

function make(scopes: readonly IgnoreScope[]): Ignore {
  return {
    with: (file) => make([...scopes, scopeOf(file)]),
    ignores: ({ path, isFolder }) => {
      const names = path.split('/');
      const hasCaseless = scopes.some(({ isCaseless }) => isCaseless);
      const folded = hasCaseless ? path.toLowerCase().split('/') : names;
      for (const { prefix, depth, isCaseless, rules } of scopes.toReversed()) {
        if (!path.startsWith(prefix)) continue;
        const of = isCaseless ? folded : names;
        const rule = rules.findLast((each) => (isFolder || !each.foldersOnly) && each.matches(of, depth));
        if (rule) return !rule.negated;
      }
      return false;
    },
  };
}

function scopeOf({ folder, text, isCaseless = false }: IgnoreFile): IgnoreScope {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  const lines = (isCaseless ? text.toLowerCase() : text).split(/\r?\n/);
  return { prefix, depth: prefix.split('/').length - 1, isCaseless, rules: lines.flatMap(ruleOf) };
}

function ruleOf(line: string): IgnoreRule[] {
  // Trailing blanks are ignored unless escaped.
  let text = line.replace(/(?<!\\)\s{1,200}$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  return [{ negated, foldersOnly, matches: matcherOf(text) }];
}

function matcherOf(text: string): IgnoreRule['matches'] {
  // Without a slash the rule is about the last name alone.
  if (!text.includes('/')) {
    const test = nameTest(text);
    return (names) => test(names.at(-1) ?? '');
  }
  const parts = text.replace(/^\//, '').split('/');
  const pattern = parts.flatMap((name, i): PatternElement<string>[] => {
    if (name !== '**') return [nameTest(name)];
    // A trailing `**` matches everything inside the folder, but not the folder itself.
    return i === parts.length - 1 ? [() => true, 'any'] : ['any'];
  });
  const hasFixedDepth = !pattern.includes('any');
  return (names, depth) =>
    (!hasFixedDepth || names.length - depth === pattern.length) && fits({ pattern, items: names.slice(depth) });
}
