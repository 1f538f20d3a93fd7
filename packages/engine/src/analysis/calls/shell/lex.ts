/** A word of a command line without its quotes. */
export interface Word {
  readonly text: string;
  /** Whether it is literal: no variable, no glob, no command substitution. */
  readonly isPlain: boolean;
}

/** One program with its arguments. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** The text of a here-document without expansion. */
  readonly heredoc?: string;
  /** The operator before it; `;` for the first command and after a line break. */
  readonly joined: CommandOperator;
  readonly isBackground: boolean;
}

type CommandOperator = '&&' | '||' | '|' | ';';

interface Redirect {
  readonly fd: string;
  readonly op: '>' | '>>';
  readonly target: Word;
}

interface CommandDraft {
  readonly words: Word[];
  readonly redirects: Redirect[];
  heredoc?: string;
  readonly joined: CommandOperator;
  isBackground: boolean;
}

/** The role of the next word if it is not an argument. */
type ExpectedWord = { readonly fd: string; readonly op: '>' | '>>' } | 'input' | 'heredoc';

/**
 * The simple commands of a command line, in order. Covers enough of the shell grammar to know which words are literal;
 * everything else is marked as not plain. One pass, never throws.
 *
 * @example
 * lexShell({ line: 'npm test && git push' }).length; // 2
 */
export function lexShell({
  line,
  isWindows = false,
}: {
  readonly line: string;
  /** In PowerShell, the backslash separates directories and the backtick escapes. */
  readonly isWindows?: boolean;
}): SimpleCommand[] {
  const escaper = isWindows ? '`' : '\\';
  const commands: CommandDraft[] = [];
  const heredocs: { readonly end: string; readonly isLiteral: boolean; readonly of: CommandDraft }[] = [];
  let command = emptyCommand(';');
  let word: { text: string; isPlain: boolean; isQuoted: boolean } | undefined;
  let awaited: ExpectedWord | undefined;
  let at = 0;
  while (at < line.length) at = step(line[at] ?? '', line[at + 1] ?? '');
  endCommand(';');
  return commands;

  /** Handles the character at `at` and returns the next position. */
  function step(char: string, next: string): number {
    switch (char) {
      case escaper:
        if (next !== '\n') put({ text: next });
        return at + 2;
      case "'":
      case '"':
        return quoted(char);
      case '@':
        return isWindows && (next === "'" || next === '"') && line[at + 2] === '\n' ? hereString(next) : plain(char);
      case '$':
      case '`': {
        const end = expansionEnd({ line, at });
        put({ text: line.slice(at, end), isPlain: false });
        return end;
      }
      case '#':
        return word ? plain(char) : lineEnd({ line, at });
      case '\n':
        endCommand(';');
        return afterHeredocs(at + 1);
      case ' ':
      case '\t':
      case '\r':
        endWord();
        return at + 1;
      case '&':
        return ampersand(next);
      case '|':
        endCommand(next === '|' ? '||' : '|');
        return at + (next === '|' ? 2 : 1);
      case ';':
      case '(':
      case ')':
        endCommand(';');
        return at + 1;
      case '<':
        return input(next);
      case '>':
        return output(next);
      default:
        return plain(char);
    }
  }

  function plain(char: string): number {
    put({ text: char, isPlain: !'*?[]{}'.includes(char) });
    return at + 1;
  }

  function put({
    text,
    isPlain = true,
    isQuoted = false,
  }: {
    text: string;
    isPlain?: boolean;
    isQuoted?: boolean;
  }): void {
    word ??= { text: '', isPlain: true, isQuoted: false };
    word.text += text;
    word.isPlain &&= isPlain;
    word.isQuoted ||= isQuoted;
  }

  function quoted(quote: string): number {
    const end = closingQuote({ line, from: at + 1, quote, escaper });
    const inner = line.slice(at + 1, end);
    if (quote === "'") put({ text: inner, isQuoted: true });
    else put({ text: inner.replace(/\\(["\\$`])/g, '$1'), isPlain: !/[$`]/.test(inner), isQuoted: true });
    return end + 1;
  }

  /** PowerShell's here-string, from `@'` to a line that begins with `'@`. */
  function hereString(quote: string): number {
    const end = line.indexOf(`\n${quote}@`, at + 2);
    put({ text: line.slice(at + 3, end < 0 ? line.length : end), isPlain: quote === "'", isQuoted: true });
    return end < 0 ? line.length : end + 3;
  }

  function ampersand(next: string): number {
    if (next === '&') {
      endCommand('&&');
      return at + 2;
    }
    if (next !== '>') {
      command.isBackground = true;
      endCommand(';');
      return at + 1;
    }
    endWord();
    const op = line[at + 2] === '>' ? '>>' : '>';
    awaited = { fd: '&', op };
    return at + 1 + op.length;
  }

  /** `<file`, `<<END`, `<<-END`, `<<<text`. */
  function input(next: string): number {
    endWord();
    const third = line[at + 2];
    awaited = next === '<' && third !== '<' ? 'heredoc' : 'input';
    if (next !== '<') return at + 1;
    return at + (third === '<' || third === '-' ? 3 : 2);
  }

  function output(next: string): number {
    const fd = word && /^\d$/.test(word.text) ? word.text : '1';
    if (word?.text === fd) word = undefined;
    endWord();
    const op = next === '>' ? '>>' : '>';
    let end = at + op.length;
    if (line[end] === '|') end += 1;
    if (line[end] !== '&') {
      awaited = { fd, op };
      return end;
    }
    // A duplicated stream, not a file: 2>&1.
    end += 1;
    while (/[\d-]/.test(line[end] ?? '')) end += 1;
    return end;
  }

  function afterHeredocs(from: number): number {
    let start = from;
    for (const { end, isLiteral, of } of heredocs.splice(0)) {
      const close = heredocEnd({ line, from: start, end });
      if (isLiteral) of.heredoc = line.slice(start, close.from);
      start = close.to;
    }
    return start;
  }

  function endWord(): void {
    if (!word) return;
    const { text, isPlain, isQuoted } = word;
    if (awaited === 'heredoc') heredocs.push({ end: text, isLiteral: isQuoted, of: command });
    else if (typeof awaited === 'object') command.redirects.push({ ...awaited, target: { text, isPlain } });
    else if (awaited === undefined) command.words.push({ text, isPlain });
    awaited = undefined;
    word = undefined;
  }

  function endCommand(joined: CommandOperator): void {
    endWord();
    awaited = undefined;
    if (command.words.length > 0 || command.redirects.length > 0) commands.push(command);
    command = emptyCommand(joined);
  }
}

function emptyCommand(joined: CommandOperator): CommandDraft {
  return { words: [], redirects: [], joined, isBackground: false };
}

/** The end of a quotation, or of the line if it is not closed. */
function closingQuote({
  line,
  from,
  quote,
  escaper,
}: {
  readonly line: string;
  readonly from: number;
  readonly quote: string;
  readonly escaper: string;
}): number {
  if (quote === "'") return orEnd({ line, at: line.indexOf(quote, from) });
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === escaper) at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

/** The position after `$name`, `${…}`, `$(…)` or a pair of backticks. */
function expansionEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  if (line[at] === '`') {
    const end = line.indexOf('`', at + 1);
    return end < 0 ? line.length : end + 1;
  }
  const open = line[at + 1];
  const close = open === '(' ? ')' : open === '{' ? '}' : undefined;
  if (close !== undefined) return afterBrackets({ line, from: at + 1, open, close });
  let end = at + 1;
  while (/[\w?!@#]/.test(line[end] ?? '')) end += 1;
  return end;
}

function afterBrackets({
  line,
  from,
  open,
  close,
}: {
  readonly line: string;
  readonly from: number;
  readonly open: string | undefined;
  readonly close: string;
}): number {
  let depth = 0;
  for (let at = from; at < line.length; at += 1) {
    const char = line[at];
    if (char === "'" || char === '"') at = closingQuote({ line, from: at + 1, quote: char, escaper: '\\' });
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}

function lineEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  return orEnd({ line, at: line.indexOf('\n', at) });
}

/** The end of a here-document's text, and the start of the line after its delimiter. */
function heredocEnd({ line, from, end }: { readonly line: string; readonly from: number; readonly end: string }): {
  readonly from: number;
  readonly to: number;
} {
  for (let at = from; at <= line.length; ) {
    const stop = lineEnd({ line, at });
    if (line.slice(at, stop).trim() === end) return { from: at, to: Math.min(stop + 1, line.length) };
    at = stop + 1;
  }
  return { from: line.length, to: line.length };
}

function orEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  return at < 0 ? line.length : at;
}
