import { type CommandLine, type LineCommand, understandLine } from '../../shell/index.ts';
import type { PermissionRequest } from '../permission.ts';
import { isWithin } from '../workspace/workspace.ts';
import { type CommandLocation, findDangers } from './danger.ts';
import type { PermissionRule } from './rule.ts';
import { guardedName, isGuardedFile, isSecretFile } from './secret-files.ts';

/** What is allowed without approval. */
export type PermissionMode = 'ask' | 'auto-edit' | 'yes' | 'read-only' | 'plan';

/** Why a mode denies everything but reading; `undefined` if it does not. */
function readingOnly(mode: PermissionMode): string | undefined {
  if (mode === 'read-only') return 'this agent is read-only';
  return mode === 'plan' ? 'the agent may only read until the user has approved a plan' : undefined;
}

/** Input of a permission decision. */
export interface PermissionContext {
  readonly mode: PermissionMode;
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  /** The real path of the workspace. */
  readonly root: string;
  /** The real paths of further folders that count as part of it. */
  readonly folders?: readonly string[];
  readonly home: string;
  /** Resolves all links of a path; if absent, links are not followed. */
  readonly follow?: (path: string) => string;
}

/** For `ask`, the reason is shown to the approver. */
export interface PermissionDecision {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly why: string;
}

/**
 * Decides about a call. Pure: the same call in the same context gets the same decision; of model output only the call
 * itself is considered.
 *
 * @example
 * decide({ request, context: { mode: 'ask', allow: [], deny: [], root: '/p', home: '/home/me' } }).verdict; // 'ask'
 */
export function decide({
  request,
  context,
}: {
  readonly request: PermissionRequest;
  readonly context: PermissionContext;
}): PermissionDecision {
  const found = decideByRules({ request, context });
  const { mustAsk } = request;
  return found.verdict === 'allow' && mustAsk !== undefined
    ? { verdict: 'ask', why: `a hook requires approval: ${mustAsk}` }
    : found;
}

function decideByRules({
  request,
  context,
}: {
  readonly request: PermissionRequest;
  readonly context: PermissionContext;
}): PermissionDecision {
  const { access } = request;
  const ofCommands = (rules: readonly PermissionRule[]) =>
    rules.filter(({ tool }) => tool === nameIn(request) || tool === 'bash');
  switch (access.kind) {
    case 'none': {
      const rule = context.deny.find(({ tool, command, paths }) => tool === nameIn(request) && !command && !paths);
      return rule ? denied(rule) : { verdict: 'allow', why: 'it accesses nothing' };
    }
    case 'read':
    case 'write':
      return decideFiles({ request, access, context });
    case 'execute':
      return decideCommand({
        access,
        mode: context.mode,
        root: context.root,
        folders: context.folders ?? [],
        follow: context.follow ?? ((path) => path),
        allow: ofCommands(context.allow),
        deny: ofCommands(context.deny),
      });
    case 'fetch':
      return decideFetch({ access, context });
    case 'remote':
      return decideRemote({ access, context });
  }
}

/** The tool name that rules use. */
function nameIn({ tool }: PermissionRequest): string {
  return tool.toLowerCase();
}

type FileAccess = Extract<PermissionRequest['access'], { readonly paths: readonly string[] }>;

function decideFiles(of: {
  readonly request: PermissionRequest;
  readonly access: FileAccess;
  readonly context: PermissionContext;
}): PermissionDecision {
  const { request, access, context } = of;
  const { mode, allow, deny } = context;
  const { kind, paths, isOutside } = access;
  const names = [nameIn(request), kind];
  const fits = (rule: PermissionRule, path: string) =>
    names.includes(rule.tool) && !rule.command && (!rule.paths || rule.paths.some((pattern) => pattern.test(path)));
  const forbidden = deny.find((rule) => paths.some((path) => fits(rule, path)));
  if (forbidden) return denied(forbidden);
  const why = readingOnly(mode);
  if (kind === 'write' && why !== undefined) return { verdict: 'deny', why };
  // A rule for all paths covers the workspace; other and secret files must be named.
  const isNamed = (path: string) => {
    // `write(**)` covers the work, not the instructions, hooks and settings in the workspace.
    const name = kind === 'write' ? guardedName(path) : undefined;
    const isClear = ({ text }: PermissionRule) => name === undefined || text.toLowerCase().includes(name);
    return allow.some((rule) => fits(rule, path) && rule.paths !== undefined && isClear(rule));
  };
  const isAllowed = (path: string) => allow.some((rule) => fits(rule, path));
  if (paths.length > 0 && paths.every(isNamed)) return { verdict: 'allow', why: 'a rule allows it' };
  if (isOutside) return { verdict: 'ask', why: 'it is outside the workspace' };
  if (paths.some(isSecretFile)) return { verdict: 'ask', why: 'it may contain secrets' };
  if (kind === 'write' && paths.some(isGuardedFile))
    return { verdict: 'ask', why: 'it controls the instructions of agents or what runs later' };
  if (kind === 'read') return { verdict: 'allow', why: 'it is in the workspace' };
  if (mode !== 'ask' || paths.every(isAllowed)) return { verdict: 'allow', why: 'it is in the workspace' };
  return { verdict: 'ask', why: 'it changes a file' };
}

/** Requests only read, but their addresses can carry data out: every host needs approval once. */
function decideFetch(of: {
  readonly access: Extract<PermissionRequest['access'], { readonly kind: 'fetch' }>;
  readonly context: PermissionContext;
}): PermissionDecision {
  const { allow, deny, mode } = of.context;
  const host = of.access.host.toLowerCase();
  const fits = (rule: PermissionRule) =>
    rule.tool === 'fetch' &&
    (!rule.host || rule.host.name === host || (rule.host.isBelow && host.endsWith(`.${rule.host.name}`)));
  const forbidden = deny.find(fits);
  if (forbidden) return denied(forbidden);
  if (allow.some(fits)) return { verdict: 'allow', why: 'a rule allows it' };
  if (mode === 'yes') return { verdict: 'allow', why: 'requests are allowed' };
  return { verdict: 'ask', why: `it sends a request to ${host}` };
}

/** Nothing is known about a tool of another program but what it says about itself. */
function decideRemote(of: {
  readonly access: Extract<PermissionRequest['access'], { readonly kind: 'remote' }>;
  readonly context: PermissionContext;
}): PermissionDecision {
  const { access } = of;
  const { allow, deny, mode } = of.context;
  const [name, server] = [access.tool.toLowerCase(), `mcp__${access.server.toLowerCase()}`];
  const fits = ({ tool, fingerprint }: PermissionRule) =>
    (tool === name || tool === server || (tool.endsWith('*') && name.startsWith(tool.slice(0, -1)))) &&
    (fingerprint === undefined || access.fingerprint.startsWith(fingerprint));
  const forbidden = deny.find(fits);
  if (forbidden) return denied(forbidden);
  const isNamed = allow.some(fits);
  const why = readingOnly(mode);
  // The declaration of the server alone is not enough, and neither is a rule that covers tools which write.
  if (why !== undefined && !(isNamed && access.isReadOnly)) return { verdict: 'deny', why };
  if (isNamed) return { verdict: 'allow', why: 'a rule allows it' };
  if (mode === 'yes') return { verdict: 'allow', why: 'tools are allowed' };
  return { verdict: 'ask', why: `it runs a tool of the MCP server ${access.server}` };
}

function denied({ text }: PermissionRule): PermissionDecision {
  return { verdict: 'deny', why: `the rule ${text} denies it` };
}

/** Rules with a command. */
type CommandRule = PermissionRule & { readonly command: NonNullable<PermissionRule['command']> };

/**
 * Decides about a command line. Only an understood line matches an allow rule or passes in mode `yes`; any other needs
 * approval.
 */
function decideCommand({
  access,
  mode,
  allow,
  deny,
  root,
  folders,
  follow,
}: {
  readonly access: Extract<PermissionRequest['access'], { readonly command: string }>;
  readonly mode: PermissionMode;
  /** Rules for this tool. */
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly root: string;
  readonly folders: readonly string[];
  readonly follow: CommandLocation['follow'];
}): PermissionDecision {
  const text = access.command.trim();
  const line = understandLine(access.command);
  const place = { cwd: access.cwd, root, folders, follow };
  const denials = deny.filter(hasCommand);
  const forbidden =
    deny.find(({ command }) => !command) ??
    denials.find((rule) => isSameText({ rule, text }) || namesOf(line).some((words) => startsWith({ rule, words })));
  if (forbidden) return { verdict: 'deny', why: `the rule ${forbidden.text} denies it` };
  const why = readingOnly(mode);
  if (why !== undefined) return { verdict: 'deny', why };
  if (access.sandbox?.isLeft) return { verdict: 'ask', why: 'it runs outside the sandbox' };
  if (![root, ...folders].some((folder) => isWithin({ path: access.cwd, folder })))
    return { verdict: 'ask', why: 'it runs outside the workspace' };
  const doubtful = denials.find((rule) => namesOf(line).some((words) => mayBe({ rule, words })));
  if (doubtful) return { verdict: 'ask', why: `it may match the rule ${doubtful.text}, which denies it` };
  const isClear = denials.length === 0 || isDenialVisible(line);
  const rules = allow.filter(hasCommand);
  const isNamed = rules.some((rule) => !rule.command.isPrefix && rule.command.text === text);
  if (isClear && (isNamed || isCovered({ line, rules, place })))
    return { verdict: 'allow', why: 'rules allow all of its commands' };
  const isUsual = mode === 'yes' || allow.some(({ command }) => !command);
  // Without a general permission, an unknown program is no reason of its own.
  if (line.reason !== undefined && (isUsual || line.commands.length === 0))
    return {
      verdict: 'ask',
      why: `it could not be analyzed (${line.reason}); only literal words and known programs can`,
    };
  const dangers = findDangers({ line, place });
  if (dangers.length > 0) return { verdict: 'ask', why: dangers.join('; ') };
  return isUsual ? { verdict: 'allow', why: 'commands are allowed' } : { verdict: 'ask', why: 'it runs a command' };
}

function hasCommand(rule: PermissionRule): rule is CommandRule {
  return rule.command !== undefined;
}

function namesOf({ commands }: CommandLine): (readonly string[])[] {
  return commands.flatMap(({ names }) => names);
}

/** Whether a matching deny rule would be noticed: no command of the line runs unknown commands. */
function isDenialVisible({ commands }: CommandLine): boolean {
  return (
    commands.length > 0 && commands.every(({ unclear, isUnknownProgram }) => unclear === undefined || isUnknownProgram)
  );
}

/** Whether rules cover every command of a line by its literal words, and it has no further reads or writes. */
function isCovered(of: {
  readonly line: CommandLine;
  readonly rules: readonly CommandRule[];
  readonly place: CommandLocation;
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

/** `cd src` inside the workspace. */
function isMove({ command, place }: { readonly command: LineCommand; readonly place: CommandLocation }): boolean {
  if (command.words[0] !== 'cd') return false;
  // Checked like a write to the target folder.
  const effects = [{ writes: [command.words[1] ?? ''] }];
  return findDangers({ line: { commands: [{ ...command, words: [], effects }] }, place }).length === 0;
}

function startsWith(of: { readonly rule: CommandRule; readonly words: readonly string[] }): boolean {
  const { command } = of.rule;
  const { words } = of;
  if (words.length < command.words.length) return false;
  if (!command.isPrefix && words.length !== command.words.length) return false;
  return command.words.every((word, index) => words[index] === word);
}

/** A rule may contain characters that are never understood in a line; then only identical text matches. */
function isSameText({ rule: { command }, text }: { readonly rule: CommandRule; readonly text: string }): boolean {
  return text === command.text || (command.isPrefix && text.startsWith(`${command.text} `));
}

/**
 * Whether a command may be another spelling of what a rule denies: options before or between its words, abbreviated
 * words and options, combined short options.
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
