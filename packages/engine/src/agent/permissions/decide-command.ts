import { type CommandLine, type LineCommand, understandLine } from '../../shell/index.ts';
import type { PermissionRequest } from '../permission.ts';
import { isWithin } from '../workspace/workspace.ts';
import { dangerOf, type Place } from './danger.ts';
import type { PermissionMode, Verdict } from './decide.ts';
import type { Rule } from './rule.ts';

/** Rules that have a command in them. */
type CommandRule = Rule & { readonly command: NonNullable<Rule['command']> };

/**
 * Decides about a command line. Only a line that is understood matches a rule or passes in the mode `yes`; any other is
 * asked about.
 */
export function decideCommand({
  access,
  mode,
  allow,
  deny,
  root,
  follow,
}: {
  readonly access: Extract<PermissionRequest['access'], { readonly command: string }>;
  readonly mode: PermissionMode;
  /** The rules for this tool. */
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly root: string;
  readonly follow: Place['follow'];
}): Verdict {
  const text = access.command.trim();
  const line = understandLine(access.command);
  const place = { cwd: access.cwd, root, follow };
  const denials = deny.filter(hasCommand);
  const forbidden =
    deny.find(({ command }) => !command) ??
    denials.find((rule) => isSameText({ rule, text }) || namesOf(line).some((words) => startsWith({ rule, words })));
  if (forbidden) return { verdict: 'deny', why: `the rule ${forbidden.text} forbids it` };
  if (mode === 'read-only') return { verdict: 'deny', why: 'this agent may only look at things' };
  if (access.sandbox?.isLeft) return { verdict: 'ask', why: 'it leaves the sandbox' };
  if (!isWithin({ path: access.cwd, folder: root })) return { verdict: 'ask', why: 'it runs outside the workspace' };
  const doubtful = denials.find((rule) => namesOf(line).some((words) => mayBe({ rule, words })));
  if (doubtful) return { verdict: 'ask', why: `it may be what the rule ${doubtful.text} forbids` };
  const isClear = denials.length === 0 || isDenialVisible(line);
  const rules = allow.filter(hasCommand);
  const isNamed = rules.some((rule) => !rule.command.isPrefix && rule.command.text === text);
  if (isClear && (isNamed || isCovered({ line, rules, place })))
    return { verdict: 'allow', why: 'rules allow all of it' };
  const isUsual = mode === 'yes' || allow.some(({ command }) => !command);
  // Without a general permission, that a program is not known says nothing.
  if (line.reason !== undefined && (isUsual || line.commands.length === 0))
    return { verdict: 'ask', why: `it is not understood (${line.reason}); only literal words and known programs are` };
  const danger = dangerOf({ line, place });
  if (danger !== undefined) return { verdict: 'ask', why: danger };
  return isUsual ? { verdict: 'allow', why: 'commands are allowed' } : { verdict: 'ask', why: 'it runs a command' };
}

function hasCommand(rule: Rule): rule is CommandRule {
  return rule.command !== undefined;
}

function namesOf({ commands }: CommandLine): (readonly string[])[] {
  return commands.flatMap(({ names }) => names);
}

/** Whether a rule that denies would be seen to match: no command of the line runs others that are not known. */
function isDenialVisible({ commands }: CommandLine): boolean {
  return (
    commands.length > 0 && commands.every(({ unclear, isUnknownProgram }) => unclear === undefined || isUnknownProgram)
  );
}

/** Whether rules cover every command of a line by its literal words, and it writes and reads nothing beside them. */
function isCovered(of: {
  readonly line: CommandLine;
  readonly rules: readonly CommandRule[];
  readonly place: Place;
}): boolean {
  const { line, rules, place } = of;
  const isMoving = (command: LineCommand) => isMove({ command, place });
  return (
    line.commands.length > 0 &&
    line.commands.every(
      (command) =>
        !command.isShellState &&
        command.redirects.every(({ target }) => target === '/dev/null') &&
        (isMoving(command) || rules.some((rule) => startsWith({ rule, words: command.words }))),
    ) &&
    !line.commands.every(isMoving)
  );
}

/** `cd src`, within the workspace. */
function isMove({ command, place }: { readonly command: LineCommand; readonly place: Place }): boolean {
  if (command.words[0] !== 'cd') return false;
  // Judged as a change of the folder that it leads to.
  const effects = [{ writes: [command.words[1] ?? ''] }];
  return dangerOf({ line: { commands: [{ ...command, words: [], effects }] }, place }) === undefined;
}

function startsWith(of: { readonly rule: CommandRule; readonly words: readonly string[] }): boolean {
  const { command } = of.rule;
  const { words } = of;
  if (words.length < command.words.length) return false;
  if (!command.isPrefix && words.length !== command.words.length) return false;
  return command.words.every((word, index) => words[index] === word);
}

/** A rule may be written with characters that are never understood in a line; then the same text matches it. */
function isSameText({ rule: { command }, text }: { readonly rule: CommandRule; readonly text: string }): boolean {
  return text === command.text || (command.isPrefix && text.startsWith(`${command.text} `));
}

/**
 * Whether a command may be another spelling of what a rule denies: options before or between its words, abbreviated words
 * and options, joined short options.
 */
function mayBe({
  rule: { command },
  words,
}: {
  readonly rule: CommandRule;
  readonly words: readonly string[];
}): boolean {
  const [name, ...wanted] = command.words;
  if (!command.isPrefix || wanted.length === 0 || words[0] !== name) return false;
  let at = 1;
  for (const word of wanted) {
    while (at < words.length && !isSpelling({ word, given: words[at] ?? '' })) at += 1;
    if (at >= words.length) return false;
    at += 1;
  }
  return true;
}

function isSpelling({ word, given }: { readonly word: string; readonly given: string }): boolean {
  if (given === word) return true;
  if (/^-\w$/.test(word)) return /^-\w/.test(given) && given.includes(word.slice(1));
  const [short = ''] = given.split('=', 1);
  return short.length > (word.startsWith('--') ? 2 : 1) && word.startsWith(short);
}
