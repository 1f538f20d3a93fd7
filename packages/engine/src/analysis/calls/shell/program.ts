import type { SimpleCommand, Word } from './lex.ts';

/** Programs that run another program. */
const wrappers = new Set([
  'sudo',
  'time',
  'nohup',
  'command',
  'exec',
  'env',
  'nice',
  'stdbuf',
  'timeout',
  'gtimeout',
  'xargs',
]);

const keywords = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{']);

/** Words between a wrapper and the program: options, a duration, variables. */
const between = /^(?:-|\d+(?:\.\d+)?[smhd]?$|\w+=)/;

/** A program name and its arguments, without wrappers and variable assignments. */
export interface ShellProgram {
  readonly name: string;
  readonly args: readonly Word[];
}

/**
 * The program of a simple command: `sudo CI=1 /usr/bin/git status` is `git status`.
 *
 * @example
 * lexShell({ line: 'CI=1 npm test' }).map(programOf); // [{ name: 'npm', args: [{ text: 'test', … }] }]
 */
export function programOf({ words }: SimpleCommand): ShellProgram | undefined {
  let isWrapped = false;
  const at = words.findIndex(({ text }) => {
    if (wrappers.has(text)) isWrapped = true;
    else return !keywords.has(text) && !/^\w+=/.test(text) && !(isWrapped && between.test(text));
    return false;
  });
  const word = words[at];
  if (!word) return undefined;
  const name = word.text.split(/[\\/]/).at(-1) ?? word.text;
  return { name: name.replace(/\.(?:exe|cmd)$/i, ''), args: words.slice(at + 1) };
}

/** Arguments that are not options. Everything after `--` is an operand. */
export function operands({ args }: ShellProgram): Word[] {
  const split = args.findIndex(({ text }) => text === '--');
  const before = split < 0 ? args : args.slice(0, split);
  return [...before.filter(({ text }) => !text.startsWith('-')), ...(split < 0 ? [] : args.slice(split + 1))];
}
