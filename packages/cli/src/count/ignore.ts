/** Decides by the lines of ignore files whether something in a folder is left out. */
export interface Ignore {
  /** Rules of a file that lies in `folder`; later ones win over earlier ones, deeper ones over those above. */
  with(rules: { readonly folder: string; readonly text: string }): Ignore;
  ignores(item: { readonly path: string; readonly isFolder: boolean }): boolean;
}

interface Rule {
  readonly folder: string;
  readonly matches: RegExp;
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
        return path.startsWith(prefix) && rule.matches.test(path.slice(prefix.length));
      })?.negated === false,
  };
}

function ruleOf({ folder, line }: { readonly folder: string; readonly line: string }): Rule[] {
  // Blanks at the end do not count unless escaped.
  let pattern = line.replace(/(?<!\\)\s+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return [];
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  const body = expressionOf(pattern.replace(/^\//, ''));
  const source = `^${anchored ? '' : '(?:.*/)?'}${body}$`;
  try {
    return [{ folder, matches: new RegExp(source, 'su'), negated, foldersOnly }];
  } catch {
    // A pattern that is none, such as a range the wrong way round, matches nothing; git thinks so too.
    return [];
  }
}

/** `**` stands for any folders, `*` and `?` for anything within a name, `[…]` for one of some. */
function expressionOf(pattern: string): string {
  const piece = /\*\*\/|\/\*\*$|\*+|\?|\[(?:\\.|[!^]?\]?[^\]])*\]|\\.|[\s\S]/gu;
  return pattern.replace(piece, (found, at: number) => {
    if (found === '**/' && (at === 0 || pattern[at - 1] === '/')) return '(?:.*/)?';
    if (found === '/**') return '/.*';
    if (found.startsWith('*')) return found === '**/' ? '[^/]*/' : '[^/]*';
    if (found === '?') return '[^/]';
    if (found.startsWith('[') && found.length > 2)
      return `(?!/)[${found.slice(1, -1).replace(/^!/, '^').replace(/\[/g, '\\[')}]`;
    const literal = found.startsWith('\\') && found.length > 1 ? found.slice(1) : found;
    return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, (char) => (char === '/' || char === '-' ? char : `\\${char}`));
  });
}
