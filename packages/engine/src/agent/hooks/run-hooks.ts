import { HookError } from '../../engine/index.ts';
import { inTime } from '../../engine/internal.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { AgentHookAnswers, AgentHookEvents, AgentHookFailure, AgentHookName, AgentHooks } from './hooks.ts';

/** A hook that takes longer is not waited for. Milliseconds. */
const usualPatience = 10_000;

/** What is different from event to event; the rest is filled in. */
type HookEventInput<Name extends AgentHookName> = Omit<AgentHookEvents[Name], 'session' | 'at' | 'cwd' | 'signal'>;

/** Asks all hooks of a kind, in order, and never throws. */
export type AskHooks = <Name extends AgentHookName>(
  name: Name,
  event: HookEventInput<Name>,
  signal?: AbortSignal,
) => Promise<Partial<AgentHookAnswers[Name]>>;

/**
 * Makes one question of many hooks. A denial or a block is the answer at once; context adds up; of everything else the
 * last answer holds.
 */
export function createAsking({
  hooks,
  session,
  cwd,
  now,
  onFailure,
}: {
  readonly hooks: readonly AgentHooks[];
  readonly session: string;
  readonly cwd: string;
  readonly now: () => number;
  readonly onFailure: (failure: AgentHookFailure) => void;
}): AskHooks {
  return async (name, input, signal) => {
    let answer: Partial<AgentHookAnswers[typeof name]> = {};
    for (const each of hooks) {
      const hook = each[name];
      if (!hook || signal?.aborted) continue;
      const event = { ...input, session, cwd, at: now() };
      const call = (end: AbortSignal) => hook({ ...event, signal: end } as never);
      try {
        const value = await inTime({ call, patience: each.patience ?? usualPatience, signal });
        const said = readAgentAnswer({ hook: name, value });
        answer = merged(answer, said) as typeof answer;
        if ('deny' in said || 'block' in said) return answer;
      } catch (error) {
        onFailure({ hook: name, ...failureOf(error) });
      }
    }
    return answer;
  };
}

function merged(before: object, said: object): object {
  const [first, second]: { readonly context?: readonly string[] }[] = [before, said];
  const context = [...(first?.context ?? []), ...(second?.context ?? [])];
  return { ...before, ...said, ...(context.length > 0 && { context }) };
}

function failureOf(error: unknown): Omit<AgentHookFailure, 'hook'> {
  if (error instanceof HookError) {
    return { kind: error.kind, why: error.message, ...(error.command !== undefined && { command: error.command }) };
  }
  return { kind: 'threw', why: error instanceof Error ? error.message : String(error) };
}

type Reader = (value: unknown) => unknown;

/** A hook adds words, not books: what is longer is cut here. Characters. */
const longest = 10_000;

const words: Reader = (value) => {
  if (typeof value !== 'string' || value.trim() === '') throw wrong('a text that says something');
  return value.slice(0, longest);
};

const texts: Reader = (value) => {
  if (!Array.isArray(value)) throw wrong('a list of texts');
  return value.map(words);
};

const object: Reader = (value) => {
  if (!isObject(value)) throw wrong('an object');
  return value;
};

const yes: Reader = (value) => {
  if (value !== true) throw wrong('`true`');
  return value;
};

/** What each hook may say, and in which form. */
const agentAnswerMembers: { readonly [Name in AgentHookName]: { readonly [member: string]: Reader } } = {
  sessionStart: { context: texts },
  userPromptSubmit: { block: words, context: texts },
  preToolUse: { deny: words, ask: words, input: object, context: texts },
  postToolUse: { context: texts },
  postToolUseFailure: { context: texts },
  permissionRequest: { allow: yes, deny: words },
  subagentStart: { context: texts },
  subagentStop: {},
  stop: { goOn: words },
  sessionEnd: {},
  notification: {},
  errorOccurred: {},
};

/** The validated answer of a hook. A malformed answer is a failure: guessing could allow a call that was not allowed. */
function readAgentAnswer<Name extends AgentHookName>({
  hook,
  value,
}: {
  readonly hook: Name;
  readonly value: unknown;
}): Partial<AgentHookAnswers[Name]> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw wrong('an object or nothing');
  const answer: Record<string, unknown> = {};
  for (const [member, read] of Object.entries(agentAnswerMembers[hook])) {
    const said = (value as JsonObject)[member];
    if (said !== undefined) answer[member] = read(said);
  }
  return answer as Partial<AgentHookAnswers[Name]>;
}

function wrong(wanted: string): HookError {
  return new HookError({ kind: 'answer', why: `It answered something else where ${wanted} is taken.` });
}
