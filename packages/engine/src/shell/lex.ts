/** A word of a command line: its literal value, the same in every shell. */
interface LiteralWord {
  readonly text: string;
  /** Whether any part of it was quoted. A quoted word is never a keyword or an assignment. */
  readonly isQuoted: boolean;
}

/** A redirection to or from a literal file. `2>&1` and `>&2` name no file and are not listed. */
export interface LiteralRedirect {
  readonly op: '>' | '>>' | '<';
  readonly target: string;
}

/** One simple command of a line. */
export interface LiteralCommand {
  /** At least one. */
  readonly words: readonly LiteralWord[];
  readonly redirects: readonly LiteralRedirect[];
  /** What precedes it; `;` for the first one. */
  readonly joined: ';' | '&&' | '||' | '|';
  /** Whether it is part of a pipeline of more than one command, so that shells may run it in a subshell. */
  readonly isPiped: boolean;
}

/** A command line as literal words, or why it is not one. */
export type LexedLine =
  | { readonly isLiteral: true; readonly commands: readonly LiteralCommand[] }
  | { readonly isLiteral: false; readonly reason: string };

/**
 * A piece of a word: characters that mean only themselves outside quotes, in bash, dash, ksh and zsh with any of their
 * options; single quotes; double quotes without the characters that have a meaning in them.
 */
const piece = /([\w@%+:,./=-]+)|'([^']*)'|"([^"\\$`!]*)"/y;
const blanks = /[ \t]+/y;
/** Stream duplications in exactly these forms. A digit counts as a stream only if it is a separate word. */
const streamCopy = /(?:2>&1|1?>&2)(?=[ \t;|&]|$)/y;
const redirect = /([12]?)(>>?)(?![>&|(])|(<)(?![<>&(])/y;
const separator = /&&|\|\||;(?![;&|])|\|(?!&)/y;

/** Control characters, and characters that reorder or hide text. Line breaks and tabs are accepted inside quotes. */
const deceptive =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

/** Longer lines are not meant for people. */
const mostWords = 5000;

/**
 * Splits a command line into literal commands. Accepts the subset of shell grammar that bash, dash, ksh and zsh parse
 * in the same way: literal words, single quotes, double quotes without expansions, `|`, `&&`, `||`, `;`, and
 * redirections to literal files. Everything else is rejected with a reason. One pass, linear in the length.
 *
 * @example
 * lexLiteral('npm test && git push'); // { isLiteral: true, commands: [ … 2 ] }
 * lexLiteral('npm test $X'); // { isLiteral: false, reason: 'it contains $' }
 */
export function lexLiteral(text: string): LexedLine {
  const line = withoutBlanks(text);
  const hidden = deceptive.exec(line)?.[0];
  if (hidden !== undefined) return refused(`it contains the character ${codePoint(hidden)}`);
  if (!line.isWellFormed()) return refused('it contains an invalid character');
  const commands: MutableCommand[] = [];
  let current = emptyCommand(';');
  let pending: LiteralRedirect['op'] | undefined;
  let [at, total] = [0, 0];

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) at = pattern.lastIndex;
    return found;
  };

  while (at < line.length) {
    if (match(blanks)) continue;
    if (match(streamCopy)) {
      if (pending !== undefined || current.words.length === 0) return refused('a redirection is incomplete');
      continue;
    }
    const io = match(redirect);
    if (io) {
      // Without a command before it, zsh runs a default program.
      if (pending !== undefined || current.words.length === 0) return refused('a redirection is incomplete');
      pending = io[3] === '<' ? '<' : io[2] === '>>' ? '>>' : '>';
      continue;
    }
    const joint = match(separator)?.[0];
    if (joint !== undefined) {
      if (pending !== undefined || current.words.length === 0) return refused(`nothing precedes ${joint}`);
      commands.push(current);
      current = emptyCommand(joint as LiteralCommand['joined']);
      if (joint === '|') markPiped({ commands, current });
      continue;
    }
    const word = readWord();
    if (typeof word === 'string') return refused(word);
    total += 1;
    if (total > mostWords) return refused(`it has more than ${mostWords} words`);
    if (pending === undefined) current.words.push(word);
    else {
      // `<1-5>` is a pattern in zsh.
      if (/[<>]/.test(line[at] ?? '')) return refused('a redirection follows another without a blank');
      if (word.text === '') return refused('a redirection has no target');
      current.redirects.push({ op: pending, target: word.text });
      pending = undefined;
    }
  }
  if (pending !== undefined) return refused('a redirection is incomplete');
  if (current.words.length > 0) commands.push(current);
  else if (current.joined !== ';') return refused(`nothing follows ${current.joined}`);
  if (commands.length === 0) return refused('it is empty');
  return { isLiteral: true, commands };

  /** The word at the current position, or why it is not literal. */
  function readWord(): LiteralWord | string {
    let [value, isQuoted] = ['', false];
    const start = at;
    for (let found = match(piece); found; found = match(piece)) {
      value += found[1] ?? found[2] ?? found[3] ?? '';
      isQuoted ||= found[1] === undefined;
    }
    const end = line[at];
    if (end === '&' && line[at + 1] !== '&') return describe('&');
    if (start === at || (end !== undefined && !/[ \t;|&<>]/.test(end))) return describe(end ?? '');
    // `12>x` is a stream in some shells, and a word with a redirection in others.
    if (!isQuoted && /^\d+$/.test(value) && (end === '>' || end === '<')) return 'a number precedes a redirection';
    // zsh expands `=name` to the path of a program.
    if (line[start] === '=') return 'a word begins with =';
    return { text: value, isQuoted };
  }
}

/** Trims blanks and line breaks. Other kinds of blanks stay, and are rejected. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && ' \t\n'.includes(text[start] ?? '')) start += 1;
  while (end > start && ' \t\n'.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

interface MutableCommand extends LiteralCommand {
  readonly words: LiteralWord[];
  readonly redirects: LiteralRedirect[];
  isPiped: boolean;
}

function emptyCommand(joined: LiteralCommand['joined']): MutableCommand {
  return { words: [], redirects: [], joined, isPiped: false };
}

function markPiped(of: { readonly commands: readonly MutableCommand[]; readonly current: MutableCommand }): void {
  of.current.isPiped = true;
  const previous = of.commands.at(-1);
  if (previous) previous.isPiped = true;
}

function describe(char: string): string {
  switch (char) {
    case '\n':
      return 'it contains a line break outside quotes';
    case "'":
    case '"':
      return `a ${char} is unmatched, or the text in between contains \\, $, a backtick or !`;
    case '':
      return 'it is incomplete';
    default:
      return /^[\u0020-\u007e]$/.test(char) ? `it contains ${char}` : `it contains ${codePoint(char)} outside quotes`;
  }
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function refused(reason: string): LexedLine {
  return { isLiteral: false, reason };
}
