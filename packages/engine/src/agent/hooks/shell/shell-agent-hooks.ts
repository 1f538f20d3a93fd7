import type { CommandExit, ShellCommand, ShellHookRun, ShellHookVerdict, ShellPlace } from '../../../engine/index.ts';
import {
  type AnswerMember,
  defaultCommandTimeout,
  foreignMembers,
  HookError,
  matcherAccepts,
  noReason,
  readAnswer,
  readCommandExit,
  runHookCommand,
} from '../../../engine/internal.ts';
import { isObject, type JsonObject } from '../../../json.ts';
import type { AgentHookEvents, AgentHookName, AgentHooks } from '../hooks.ts';
import { agentAnswerMembers } from '../run-hooks.ts';
import { type AgentShellEvent, agentShellEvents, agentShellInput, subjectOf } from './events.ts';

/** The commands for each event, in the order in which they run. A matcher names tools, several with `|` between them. */
export type AgentShellCommands = { readonly [Event in AgentShellEvent]?: readonly ShellCommand[] };

/**
 * Hooks of an agent that are commands of the user's shell. Each is a process that reads one JSON object on its standard
 * input. Exit code 2 blocks, with standard error as the reason; other exit codes and timeouts stop nothing.
 *
 * @example
 * const hooks = createShellAgentHooks({ commands: { PreToolUse: [{ matcher: 'bash', command: './check-command.sh' }] } });
 */
export function createShellAgentHooks({
  commands,
  timeout = defaultCommandTimeout,
  ...place
}: ShellPlace & {
  readonly commands: AgentShellCommands;
  /** Seconds for commands that say nothing else. */
  readonly timeout?: number;
}): readonly AgentHooks[] {
  const names = Object.keys(agentShellEvents) as AgentShellEvent[];
  return names.flatMap((name) =>
    (commands[name] ?? []).map((command) => hookOf({ name, command: { timeout, ...command }, place })),
  );
}

function hookOf(of: {
  readonly name: AgentShellEvent;
  readonly command: ShellCommand;
  readonly place: ShellPlace;
}): AgentHooks {
  const { name, command, place } = of;
  const hook = async (event: { readonly signal?: AbortSignal }) => {
    if (!matcherAccepts({ matcher: command.matcher, names: namesOf(subjectOf({ name, event })) })) return undefined;
    const ended = await runFor({ name, command, event, place });
    if (event.signal?.aborted) return undefined;
    try {
      return agentVerdict({ name, ended });
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      throw new HookError({ kind: error.kind, why: error.message, command: command.command });
    }
  };
  const key: AgentHookName = agentShellEvents[name];
  // A command is killed at its own timeout.
  return { timeout: Number.POSITIVE_INFINITY, [key]: hook };
}

async function runFor(of: {
  readonly name: AgentShellEvent;
  readonly command: ShellCommand;
  readonly event: { readonly signal?: AbortSignal };
  readonly place: ShellPlace;
}): Promise<CommandExit> {
  const { name, command, event, place } = of;
  const input = agentShellInput({ name, event: event as never });
  return await runHookCommand({ command, input, signal: event.signal, ...place });
}

/**
 * Runs one command for one event of an agent, regardless of its matcher, and returns how it ended and what that means.
 *
 * @example
 * const event = { session: 'a', at: Date.now(), cwd: '.', text: 'Done.', turns: 1 };
 * const { ended, verdict } = await runShellAgentHook({ name: 'Stop', command: { command: './check.sh' }, event });
 */
export async function runShellAgentHook<Name extends AgentShellEvent>({
  name,
  command,
  event,
  ...place
}: ShellPlace & {
  readonly name: Name;
  readonly command: ShellCommand;
  readonly event: AgentHookEvents[(typeof agentShellEvents)[Name]];
}): Promise<ShellHookRun> {
  const ended = await runFor({ name, command, event, place });
  return { ended, verdict: verdictFor({ name, ended }) };
}

function verdictFor(of: { readonly name: AgentShellEvent; readonly ended: CommandExit }): ShellHookVerdict {
  const member = blocks[of.name];
  const members: { readonly [Member in string]?: AnswerMember } = agentAnswerMembers[agentShellEvents[of.name]];
  try {
    const given = agentVerdict(of);
    const reason = member === undefined ? undefined : given[member];
    if (typeof reason === 'string') return { as: 'block', reason };
    const known = Object.fromEntries(Object.entries(members).flatMap(([key, value]) => (value ? [[key, value]] : [])));
    const answer = readAnswer({ members: known, value: given });
    const ignored = Object.keys(given).filter((key) => !Object.hasOwn(members, key) && !foreignMembers.has(key));
    return answer || ignored.length > 0 ? { as: 'answer', answer: answer ?? {}, ignored } : { as: 'nothing' };
  } catch (error) {
    if (error instanceof HookError) return { as: 'failure', kind: error.kind, why: error.message };
    throw error;
  }
}

/** The member of an answer by which an event is blocked, where it can be. */
const blocks: { readonly [Name in AgentShellEvent]?: string } = {
  UserPromptSubmit: 'block',
  PreToolUse: 'deny',
  PermissionRequest: 'deny',
  // To block the end is to go on.
  Stop: 'continueWith',
};

/** Where plain text on standard output is meant for the model, as in Claude Code. */
const listens: ReadonlySet<AgentShellEvent> = new Set(['SessionStart', 'UserPromptSubmit', 'SubagentStart']);

/**
 * What the end of a command means. Exit code 2 blocks, with standard error as the reason; other exit codes and a time that
 * ran out are failures, which stop nothing. An object on standard output is the answer.
 */
function agentVerdict({ name, ended }: { readonly name: AgentShellEvent; readonly ended: CommandExit }): JsonObject {
  const member = blocks[name];
  const answer = readCommandExit({ ended, canBlock: member !== undefined });
  if (answer.as === 'block') return member ? { [member]: answer.reason || noReason } : {};
  if (answer.as === 'text') return listens.has(name) ? { context: [answer.text] } : {};
  return answer.as === 'object' ? said({ name, value: answer.value }) : {};
}

function said({ name, value }: { readonly name: AgentShellEvent; readonly value: JsonObject }): JsonObject {
  const member = blocks[name];
  // To end it all is what a run that ends does anyway; it must not be taken for a wish to go on.
  const isBlocking = value.decision === 'block' || (value.continue === false && name !== 'Stop');
  const reason = value.reason ?? value.stopReason;
  const blocked = isBlocking && member ? { [member]: typeof reason === 'string' ? reason : noReason } : {};
  return { ...value, ...specific(value), ...blocked };
}

/** The same in the words of Claude Code. That a hook allows a call before anybody was asked is not taken. */
function specific({ hookSpecificOutput: inner }: JsonObject): JsonObject {
  if (!isObject(inner)) return {};
  const { additionalContext: context, permissionDecision, permissionDecisionReason, updatedInput, decision } = inner;
  const why = typeof permissionDecisionReason === 'string' ? permissionDecisionReason : noReason;
  return {
    ...(typeof context === 'string' && context.trim() !== '' && { context: [context] }),
    ...(permissionDecision === 'deny' && { deny: why }),
    ...(permissionDecision === 'ask' && { ask: why }),
    ...(isObject(updatedInput) && { input: updatedInput }),
    ...(isObject(decision) && decided(decision)),
  };
}

function decided({ behavior, message }: JsonObject): JsonObject {
  if (behavior === 'allow') return { allow: true };
  if (behavior !== 'deny') return {};
  return { deny: typeof message === 'string' && message.trim() !== '' ? message : noReason };
}

/** Tools that have another name in Claude Code, whose matchers work here as well. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  find: ['Glob'],
  todo: ['TodoWrite'],
  edit: ['MultiEdit'],
  bash_output: ['BashOutput'],
  bash_kill: ['KillShell'],
};

function namesOf(subject: string): readonly string[] {
  return [subject, ...(otherNames[subject] ?? [])];
}
