import { HookError, inTime } from '../../engine/index.ts';
import type { AgentHookAnswers, AgentHookEvents, AgentHookFailure, AgentHookName, AgentHooks } from './hooks.ts';
import { readAgentAnswer } from './read-answer.ts';

/** A hook that takes longer is not waited for. Milliseconds. */
const usualPatience = 10_000;

/** What is different from event to event; the rest is filled in. */
type Told<Name extends AgentHookName> = Omit<AgentHookEvents[Name], 'session' | 'at' | 'cwd' | 'signal'>;

/** Asks all hooks of a kind, in order, and never throws. */
export type AskHooks = <Name extends AgentHookName>(
  name: Name,
  event: Told<Name>,
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
  return async (name, told, signal) => {
    let answer: Partial<AgentHookAnswers[typeof name]> = {};
    for (const each of hooks) {
      const hook = each[name];
      if (!hook || signal?.aborted) continue;
      const event = { ...told, session, cwd, at: now() };
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
