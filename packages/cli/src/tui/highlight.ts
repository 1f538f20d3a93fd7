import type { Style, Theme } from './theme.ts';

/** How a family of languages is written, as far as coloring needs it. */
interface Grammar {
  /** What begins a comment to the end of the line. */
  readonly line: readonly string[];
  readonly block?: readonly [open: string, close: string];
  readonly quotes: string;
  /** Quotes of strings over several lines. */
  readonly long?: readonly string[];
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const script: Grammar = {
  line: ['//'],
  block: ['/*', '*/'],
  quotes: '\'"',
  long: ['`'],
  keywords: words(
    'abstract any as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while yield',
  ),
};

const python: Grammar = {
  line: ['#'],
  quotes: '\'"',
  long: ['"""', "'''"],
  keywords: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
};

const c: Grammar = {
  line: ['//'],
  block: ['/*', '*/'],
  quotes: '\'"',
  keywords: words(
    'abstract auto bool boolean break byte case catch chan char class const continue crate default defer delete do double else enum explicit export extends extern false final finally float fn for fun func go goto if impl implements import in include inline instanceof int interface internal is let long loop map match mod move mut namespace new nil null nullptr object override package private protected pub public range ref return select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while yield',
  ),
};

const shell: Grammar = {
  line: ['#'],
  quotes: '\'"',
  keywords: words(
    'case cd do done echo elif else esac eval exec exit export fi for function if in local read return set shift source then trap unset until while',
  ),
};

const sql: Grammar = {
  line: ['--'],
  block: ['/*', '*/'],
  quotes: "'",
  keywords: words(
    'add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table then transaction trigger union unique update using values view when where with',
  ),
};

const data: Grammar = { line: ['#'], quotes: '\'"', keywords: words('true false null yes no on off') };

const ruby: Grammar = {
  ...python,
  long: [],
  keywords: words(
    'alias and begin break case class def do else elsif end ensure false for if in module next nil not or puts redo require rescue retry return self super then true undef unless until when while yield',
  ),
};

const grammars: Readonly<Record<string, Grammar>> = {
  ...Object.fromEntries(
    ['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs', 'javascript', 'typescript'].map((name) => [name, script]),
  ),
  ...Object.fromEntries(['py', 'python'].map((name) => [name, python])),
  ...Object.fromEntries(
    [
      'c',
      'h',
      'cc',
      'cpp',
      'c++',
      'cs',
      'csharp',
      'java',
      'kotlin',
      'kt',
      'go',
      'rs',
      'rust',
      'swift',
      'scala',
      'php',
      'dart',
      'zig',
    ].map((name) => [name, c]),
  ),
  ...Object.fromEntries(
    ['sh', 'bash', 'zsh', 'shell', 'console', 'dockerfile', 'make', 'makefile'].map((name) => [name, shell]),
  ),
  ...Object.fromEntries(['sql', 'lua', 'haskell', 'hs'].map((name) => [name, sql])),
  ...Object.fromEntries(
    ['json', 'jsonc', 'yaml', 'yml', 'toml', 'ini', 'properties', 'env'].map((name) => [name, data]),
  ),
  ...Object.fromEntries(['rb', 'ruby', 'elixir', 'ex'].map((name) => [name, ruby])),
};

/** Longer lines are left as they are. */
const longestLine = 2_000;

/**
 * Colors code line by line: comments, strings, numbers, keywords and names that are called. A line depends only on the
 * lines before it, so that a block that grows is colored once; time is linear in the text.
 *
 * @example
 * const color = createHighlighter({ language: 'ts', theme });
 * lines.map(color);
 */
export function createHighlighter({
  language,
  theme,
}: {
  readonly language: string | undefined;
  readonly theme: Theme;
}): (line: string) => string {
  const name =
    language
      ?.trim()
      .toLowerCase()
      .split(/[\s,{]/, 1)[0] ?? '';
  if (name === 'diff' || name === 'patch') return (line) => diffLine({ line, theme });
  const grammar = grammars[name];
  if (!grammar) return (line) => line;
  /** What ends the comment or string that the line before left open. */
  let open: { readonly until: string; readonly style: Style } | undefined;
  return (line) => {
    if (line.length > longestLine) return line;
    let colored = '';
    let at = 0;
    while (at < line.length) {
      const token = open ? upTo({ line, from: at, open }) : tokenAt({ line, at, grammar, theme });
      colored += token.style ? token.style(line.slice(at, token.end)) : line.slice(at, token.end);
      open = token.open;
      at = token.end;
    }
    return colored;
  };
}

interface Token {
  readonly end: number;
  readonly style?: Style;
  readonly open?: { readonly until: string; readonly style: Style } | undefined;
}

/** A comment or string up to its end, which may be in a later line. */
function upTo({
  line,
  from,
  open,
}: {
  readonly line: string;
  readonly from: number;
  readonly open: NonNullable<Token['open']>;
}): Token {
  const found = line.indexOf(open.until, from);
  if (found < 0) return { end: line.length, style: open.style, open };
  return { end: found + open.until.length, style: open.style };
}

const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const digits = /\d[\w.]*/y;
const other = /[^\p{L}\p{N}_$'"`/#-]+|./uy;

function tokenAt({
  line,
  at,
  grammar,
  theme,
}: {
  readonly line: string;
  readonly at: number;
  readonly grammar: Grammar;
  readonly theme: Theme;
}): Token {
  if (
    grammar.line.some(
      (mark) => line.startsWith(mark, at) && (mark !== '#' || at === 0 || /\s/.test(line[at - 1] ?? '')),
    )
  )
    return { end: line.length, style: theme.comment };
  if (grammar.block && line.startsWith(grammar.block[0], at)) {
    const [mark, until] = grammar.block;
    return upTo({ line, from: at + mark.length, open: { until, style: theme.comment } });
  }
  const long = grammar.long?.find((mark) => line.startsWith(mark, at));
  if (long) return upTo({ line, from: at + long.length, open: { until: long, style: theme.string } });
  const char = line[at] ?? '';
  if (grammar.quotes.includes(char)) return { end: quoted({ line, at }), style: theme.string };
  const found = matchAt({ pattern: word, line, at });
  if (found !== undefined) {
    if (grammar.keywords.has(found) || (grammar === sql && grammar.keywords.has(found.toLowerCase())))
      return { end: at + found.length, style: theme.keyword };
    const isCalled = line[at + found.length] === '(';
    const isKey = grammar === data && /^\s*[:=]/.test(line.slice(at + found.length, at + found.length + 8));
    return { end: at + found.length, ...((isCalled || isKey) && { style: theme.definition }) };
  }
  const amount = matchAt({ pattern: digits, line, at });
  if (amount !== undefined) return { end: at + amount.length, style: theme.number };
  return { end: at + (matchAt({ pattern: other, line, at })?.length ?? 1) };
}

function matchAt({
  pattern,
  line,
  at,
}: {
  readonly pattern: RegExp;
  readonly line: string;
  readonly at: number;
}): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0];
}

/** Where a string ends; an unfinished one at the end of the line. */
function quoted({ line, at }: { readonly line: string; readonly at: number }): number {
  const quote = line[at];
  for (let end = at + 1; end < line.length; end += 1) {
    if (line[end] === '\\') end += 1;
    else if (line[end] === quote) return end + 1;
  }
  return line.length;
}

function diffLine({ line, theme }: { readonly line: string; readonly theme: Theme }): string {
  if (line.startsWith('+')) return theme.good(line);
  if (line.startsWith('-')) return theme.bad(line);
  return line.startsWith('@@') ? theme.info(line) : line;
}
