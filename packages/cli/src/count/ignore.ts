import { fits, nameTest, type Unit } from './wildcard.ts';

/** Decides by the lines of ignore files whether something in a folder is left out. */
export interface Ignore {
  /** Rules of a file that lies in `folder`; later ones win over earlier ones, deeper ones over those above. */
  with(rules: { readonly folder: string; readonly text: string }): Ignore;
  ignores(item: { readonly path: string; readonly isFolder: boolean }): boolean;
}

interface Rule {
  readonly folder: string;
  /** Takes the path from `folder` on. */
  readonly matches: (path: string) => boolean;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** The names of the files whose rules are heeded, the weaker first. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.ignore'];

/**
 * The rules of gitignore(5). Paths are absolute, with slashes.
 *
 * @example
 * noIgnore.with({ folder: '/a', text: '*.log' }).ignores({ path: '/a/b/c.log', isFolder: false }); // true
 */
export const noIgnore: Ignore = make([]);

function make(rules: readonly Rule[]): Ignore {
  return {
    with: ({ folder, text }) => make([...rules, ...text.split(/\r?\n/).flatMap((line) => ruleOf({ folder, line }))]),
    ignores: ({ path, isFolder }) =>
      rules.findLast((rule) => {
        if (rule.foldersOnly && !isFolder) return false;
        const prefix = rule.folder.endsWith('/') ? rule.folder : `${rule.folder}/`;
        return path.startsWith(prefix) && rule.matches(path.slice(prefix.length));
      })?.negated === false,
  };
}

function ruleOf({ folder, line }: { readonly folder: string; readonly line: string }): Rule[] {
  // Blanks at the end do not count unless escaped.
  let text = line.replace(/(?<!\\)\s{1,200}$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  const isAnchored = text.includes('/');
  const names = text.replace(/^\//, '').split('/');
  const pattern = names.flatMap((name, i): Unit<string>[] => {
    if (name !== '**') return [nameTest(name)];
    // At the end it stands for everything inside, of which there must be something.
    return i === names.length - 1 ? [() => true, 'any'] : ['any'];
  });
  const whole: Unit<string>[] = isAnchored ? pattern : ['any', ...pattern];
  return [{ folder, negated, foldersOnly, matches: (path) => fits({ pattern: whole, items: path.split('/') }) }];
}
