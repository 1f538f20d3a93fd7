import { judgeOf } from './commands/index.ts';
import type { Effects } from './effects.ts';
import { type LiteralCommand, type LiteralRedirect, lexLiteral } from './lex.ts';

/** One command of a literal line, with what is known about it. */
export interface LineCommand {
  readonly words: readonly string[];
  readonly redirects: readonly LiteralRedirect[];
  /** The folders it may run in, as relative paths, one step per `cd`. */
  readonly folders: readonly (readonly string[])[];
  /** The command under all its names: as written, without path and options, and the commands it runs. */
  readonly names: readonly (readonly string[])[];
  readonly effects: readonly Effects[];
  /** Why it is not understood. */
  readonly unclear?: string;
  /** Whether only the program is unknown: nothing indicates that it runs others. */
  readonly isUnknownProgram?: true;
  /** Whether the shell itself evaluates its arguments, or parses later commands differently after it. */
  readonly isShellState: boolean;
}

/** What is known about a command line before it runs. */
export interface CommandLine {
  /** Empty if the line is not literal. */
  readonly commands: readonly LineCommand[];
  /** Why it is not understood; absent if it is. */
  readonly reason?: string;
}

/** Limit of nested wrappers. */
const deepest = 5;
/** Limit of folders that `cd` may lead to. */
const mostFolders = 8;

/**
 * Analyzes a command line or says why it cannot: it must be literal, and each command must be known with these
 * arguments. The only analysis that permissions use.
 *
 * @example
 * understandLine('git status && npm test').reason; // undefined
 * understandLine('git status $X').reason; // 'it contains $'
 */
export function understandLine(line: string): CommandLine {
  const lexed = lexLiteral(line);
  if (!lexed.isLiteral) return { commands: [], reason: lexed.reason };
  const commands: LineCommand[] = [];
  let reason: string | undefined;
  let current: (readonly string[])[] = [[]];
  const seen = new Map<string, readonly string[]>([['', []]]);
  for (const command of lexed.commands) {
    if (command.joined === ';' || command.joined === '||') current = [...seen.values()];
    const read = readCommand({ command, folders: current });
    if (read === 'keyword') return { commands: [], reason: `it contains the keyword ${command.words[0]?.text}` };
    commands.push(read);
    if (read.unclear !== undefined) reason ??= `${shown(read.words[0])}: ${read.unclear}`;
    const target = folderOf(command);
    if (target === undefined || command.isPiped) continue;
    current = current.map((folder) => [...folder, target]);
    for (const folder of current) seen.set(folder.join('\0'), folder);
    if (seen.size > mostFolders) return { commands: [], reason: 'it changes the folder too often' };
  }
  return { commands, ...(reason !== undefined && { reason }) };
}

function readCommand(of: {
  readonly command: LiteralCommand;
  readonly folders: readonly (readonly string[])[];
}): LineCommand | 'keyword' {
  const { command, folders } = of;
  const [first] = command.words;
  if (!first || (!first.isQuoted && keywords.has(first.text))) return 'keyword';
  const words = command.words.map(({ text }) => text);
  const base = { words, redirects: command.redirects, folders };
  // An assignment before a command may have quotes in its value.
  if (/=/.test(first.text) || !/^[\w./@%+:,-]+$/.test(first.text) || first.text.startsWith('-'))
    return { ...base, names: [words], effects: [], unclear: 'it is not the name of a program', isShellState: true };
  if (baseName(first.text) === 'cd' && words.length > 0) return { ...base, ...readMove({ command, words }) };
  return { ...base, ...readProgram({ words, depth: 0 }) };
}

type ReadCommand = Pick<LineCommand, 'names' | 'effects' | 'isShellState' | 'unclear' | 'isUnknownProgram'>;

function readMove({
  command,
  words,
}: {
  readonly command: LiteralCommand;
  readonly words: readonly string[];
}): ReadCommand {
  const isPlain = folderOf(command) !== undefined && !command.isPiped;
  const why = isPlain ? undefined : 'its target is unknown';
  return { names: [words], effects: [], isShellState: !isPlain, ...(why !== undefined && { unclear: why }) };
}

/** The target of `cd`. In a pipeline some shells run it in a subshell and others do not. */
function folderOf({ words, redirects }: LiteralCommand): string | undefined {
  const [first, to, ...more] = words;
  if (first?.text !== 'cd' || !to || more.length > 0 || redirects.some(({ op }) => op === '<')) return undefined;
  return to.text === '' || to.text.startsWith('-') ? undefined : to.text;
}

function readProgram({ words, depth }: { readonly words: readonly string[]; readonly depth: number }): ReadCommand {
  const [written = '', ...args] = words;
  const name = baseName(written);
  const names = [[name, ...args]];
  if (depth > deepest) return { names, effects: [], unclear: 'it has too many nested commands', isShellState: true };
  if (stateBuiltins.has(name) || keywords.has(name))
    return { names, effects: [], unclear: 'it changes the state of the shell or evaluates text', isShellState: true };
  const judge = judgeOf(written);
  if (!judge)
    return { names, effects: [], unclear: 'the program is unknown', isUnknownProgram: true, isShellState: false };
  const found = judge(args);
  if ('unclear' in found)
    return { names, effects: [], unclear: found.unclear, isShellState: guardedBuiltins.has(name) };
  if (found.canonical) names.push([name, ...found.canonical]);
  if (!found.runs) return { names, effects: [found], isShellState: false };
  const inner = readProgram({ words: found.runs, depth: depth + 1 });
  return { ...inner, names: [...names, ...inner.names], effects: [found, ...inner.effects] };
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function shown(word: string | undefined): string {
  return (word ?? '').slice(0, 60);
}

/** Words that start a compound command or change how the next one is parsed, in any shell. */
const keywords: ReadonlySet<string> = new Set(
  'if then else elif fi for foreach while until do done case esac in select function coproc repeat end nocorrect noglob - always'.split(
    ' ',
  ),
);

/**
 * Builtins of bash, dash, ksh or zsh that evaluate their arguments or change how later commands are parsed. No rule
 * covers them, except one that is exactly the line.
 */
const stateBuiltins: ReadonlySet<string> = new Set(
  '. alias autoload bg bind bindkey break caller compadd compdef compgen complete compopt continue declare dirs disable disown echotc emulate enable eval export fc fg float functions getln getopts hash history integer jobs let limit local log logout mapfile noglob popd print private pushd pushln read readarray readonly rehash return sched set setopt shift shopt source suspend times trap ttyctl typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence where zcompile zformat zle zmodload zparseopts zprof zpty zregexparse zsocket zstyle ztcp'.split(
    ' ',
  ),
);

/** Builtins that are harmless in their known forms, and evaluate or run something in others. */
const guardedBuiltins: ReadonlySet<string> = new Set(
  'printf test [ exit command exec builtin time type kill cd'.split(' '),
);
