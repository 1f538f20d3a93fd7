import { isAbsolute, resolve } from 'node:path';
import { lexShell, programOf, type SimpleCommand } from '../../compaction/index.ts';
import { unnest } from './unnest.ts';

/** A word of a command. */
export type Word = SimpleCommand['words'][number];

/** One program of a command line, wherever in it it stands. */
export interface CommandPart {
  readonly words: readonly Word[];
  readonly redirects: SimpleCommand['redirects'];
  /** Where it runs; absent where nobody can tell. */
  readonly base: string | undefined;
  /** The ways in which it can be read: as it stands, and from each program on that another one may start. */
  readonly programs: readonly { readonly name: string; readonly args: readonly Word[] }[];
}

/** A command line taken apart. */
export interface CommandLine {
  readonly parts: readonly CommandPart[];
  /** Why nobody can tell what it does. */
  readonly unclear?: string;
}

/** Programs that start the one that stands behind them, with options in between that only they know. */
const starters =
  /^(?:sudo|doas|env|nice|ionice|nohup|timeout|gtimeout|time|xargs|command|exec|builtin|stdbuf|setsid|chroot|unshare|watch|parallel|flock|find|fd|then|do|else|if|elif|while|until|!|\{|busybox|npx|strace|ltrace|script|ssh)$/;

const shells = /^(?:ba|z|da|k|fi|a|tc|c)?sh$/;

/** A forged line cannot send us further. */
const deepest = 6;

/**
 * The programs of a command line: those after one another, in pipes, in brackets, inside of words, and those that a shell
 * is given as text. Where it cannot be told what a line does, it says so; it never guesses.
 *
 * @example
 * readCommand({ line: 'npm test && echo "$(date)"', cwd: '/p' }).parts.length; // 3
 */
export function readCommand({
  line,
  cwd,
  depth = 0,
}: {
  readonly line: string;
  readonly cwd: string | undefined;
  readonly depth?: number;
}): CommandLine {
  if (depth > deepest) return { parts: [], unclear: 'commands stand in commands too deep' };
  const { line: flat, inner, documents, unclear: why } = unnest(line);
  if (why !== undefined) return { parts: [], unclear: why };
  const parts: CommandPart[] = [];
  let [base, unclear]: [string | undefined, string | undefined] = [cwd, undefined];
  for (const command of lexShell({ line: flat })) {
    const part = partOf({ command, base });
    parts.push(part);
    const [first] = part.programs;
    if (command.words.length > 0 && !first) continue;
    if (/^\$|[*?[]|^\{./.test((programOf(command) ?? first)?.name ?? ''))
      unclear ??= 'a variable or a pattern says which program it runs';
    for (const program of part.programs) take(givenTo({ program, documents }));
    if (first && /^(?:cd|pushd|popd)$/.test(first.name)) base = movedTo({ args: first.args, base });
  }
  for (const text of inner) take({ text });
  return { parts, ...(unclear !== undefined && { unclear }) };

  function take(given: { readonly text: string } | { readonly unclear: string } | undefined): void {
    if (!given) return;
    if ('unclear' in given) {
      unclear ??= given.unclear;
      return;
    }
    const nested = readCommand({ line: given.text, cwd: base, depth: depth + 1 });
    parts.push(...nested.parts);
    unclear ??= nested.unclear;
  }
}

function partOf({
  command,
  base,
}: {
  readonly command: SimpleCommand;
  readonly base: string | undefined;
}): CommandPart {
  const { words, redirects } = command;
  const start = words.findIndex(({ text, isPlain }) => !(isPlain && /^\w+\+?=/.test(text)) && !/^\w+\+?=/.test(text));
  const rest = start < 0 ? [] : words.slice(start);
  const programs = rest.length === 0 ? [] : [named(rest)];
  const usual = programOf(command);
  if (usual && usual.args.length !== programs[0]?.args.length) programs.push(usual);
  if (starters.test(programs[0]?.name ?? '')) {
    for (let at = 1; at < Math.min(rest.length, 40); at += 1) programs.push(named(rest.slice(at)));
  }
  return { words, redirects, base, programs };
}

function named([first, ...args]: readonly Word[]): { readonly name: string; readonly args: readonly Word[] } {
  return { name: first?.text.split('/').at(-1) ?? '', args };
}

/** The command line that a shell or `eval` is given. */
function givenTo({
  program: { name, args },
  documents,
}: {
  readonly program: CommandPart['programs'][number];
  readonly documents: readonly string[];
}): { readonly text: string } | { readonly unclear: string } | undefined {
  if (name === 'eval') {
    return args.every(({ isPlain }) => isPlain)
      ? { text: args.map(({ text }) => text).join(' ') }
      : { unclear: 'eval runs what a variable or another command says' };
  }
  if (!shells.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^-[^\Wc]*c\w*$/.test(text));
  const given = args[at + 1];
  if (at >= 0) return given?.isPlain ? { text: given.text } : { unclear: 'a shell is given what is not plain' };
  return documents.length > 0 ? { text: documents.join('\n') } : undefined;
}

function movedTo({ args, base }: { readonly args: readonly Word[]; readonly base: string | undefined }) {
  const to = args.find(({ text }) => !text.startsWith('-'));
  if (!to?.isPlain || to.text.startsWith('~')) return undefined;
  if (isAbsolute(to.text)) return to.text;
  return base === undefined ? undefined : resolve(base, to.text);
}
