import {
  type AnswerMember,
  defaultHookTimeout,
  flag,
  object,
  runHookSequence,
  text,
  texts,
} from '../../engine/internal.ts';
import type { AgentHookAnswers, AgentHookEvents, AgentHookFailure, AgentHookName, AgentHooks } from './hooks.ts';

/** What differs from event to event; the other members are filled in. */
type HookEventInput<Name extends AgentHookName> = Omit<
  AgentHookEvents[Name],
  'session' | 'at' | 'cwd' | 'transcript' | 'signal'
>;

/** Runs all hooks of an event, in order, and never throws. */
export type RunAgentHooks = <Name extends AgentHookName>(
  name: Name,
  event: HookEventInput<Name>,
  signal?: AbortSignal,
) => Promise<Partial<AgentHookAnswers[Name]>>;

/** Runs the hooks of an agent, by the same rules as the engine runs its own. A denial or a block ends the sequence. */
export function createAgentHookRunner({
  hooks,
  session,
  cwd,
  transcript = async () => undefined,
  now,
  onFailure,
}: {
  readonly hooks: readonly AgentHooks[];
  readonly session: string;
  readonly cwd: string;
  /** The file of the live transcript, after what is new was written to it. */
  readonly transcript?: () => Promise<string | undefined>;
  readonly now: () => number;
  readonly onFailure: (failure: AgentHookFailure) => void;
}): RunAgentHooks {
  return async (name, input, signal) => {
    if (!hooks.some((each) => each[name])) return {};
    const file = await transcript();
    const known = { session, cwd, ...(file !== undefined && { transcript: file }) };
    const answer = await runHookSequence({
      hooks: hooks.flatMap(({ [name]: hook, timeout = defaultHookTimeout }) => {
        if (!hook) return [];
        return [{ call: (end) => hook({ ...input, ...known, at: now(), signal: end } as never), timeout }];
      }),
      members: agentAnswerMembers[name],
      signal,
      listeners: [(failure) => onFailure({ hook: name, ...failure })],
    });
    // Validated by the table, whose members are those of the type.
    return (answer ?? {}) as Partial<AgentHookAnswers[typeof name]>;
  };
}

/** Longer texts are cut, so that a hook cannot fill the context. Characters. */
const cutTo = 10_000;

const single: AnswerMember = { read: text({ cutTo }) };
const decision: AnswerMember = { ...single, ends: 'merged' };
const context: AnswerMember = { read: texts({ cutTo }) };

/** The members that each hook may answer with. */
export const agentAnswerMembers: {
  readonly [Name in AgentHookName]: { readonly [Member in keyof AgentHookAnswers[Name]]-?: AnswerMember };
} = {
  sessionStart: { context },
  userPromptSubmit: { block: decision, context },
  preToolUse: { deny: decision, ask: single, input: { read: object }, context },
  postToolUse: { context },
  postToolUseFailure: { context },
  permissionRequest: { allow: { read: flag }, deny: decision },
  subagentStart: { context },
  subagentStop: {},
  stop: { continueWith: single },
  sessionEnd: {},
  notification: {},
  errorOccurred: {},
};
