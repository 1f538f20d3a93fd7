import type { HookFailure } from '../../engine/index.ts';
import type { JsonObject } from '../../message/index.ts';
import type { ModelFailure } from '../../models/index.ts';
import type { SessionId } from '../../session/index.ts';
import type { RunEnd } from '../event.ts';
import type { PermissionRequest } from '../permission.ts';

type Awaitable<T> = T | Promise<T>;

/** Fields of every hook event. */
export interface AgentHookEvent {
  readonly session: SessionId;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cwd: string;
  /** The file of the live transcript, if one is kept. */
  readonly transcript?: string;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
}

/** A call that is about to run, or has run. */
interface ToolHookEvent extends AgentHookEvent {
  readonly tool: string;
  readonly input: JsonObject;
  readonly callId: string;
}

/** Additional text for the model. Its origin is the engine, never a person. */
interface WithContext {
  readonly context?: readonly string[];
}

interface PromptAnswer extends WithContext {
  /** It is not said, for this reason. */
  readonly block?: string;
}

interface PreToolAnswer extends WithContext {
  /** The call does not run; the model receives this reason. */
  readonly deny?: string;
  /** Other input in place of what the model wrote. What it touches is judged anew. */
  readonly input?: JsonObject;
  /** The user must be asked, whatever the rules allow. */
  readonly ask?: string;
}

interface PermissionHookAnswer {
  readonly allow?: true;
  readonly deny?: string;
}

interface StopAnswer {
  /** What is said so that the work goes on. A few times in a row at most. */
  readonly continueWith?: string;
}

/** The event of each hook. */
export interface AgentHookEvents {
  readonly sessionStart: AgentHookEvent & { readonly source: 'startup' | 'resume' };
  readonly userPromptSubmit: AgentHookEvent & {
    readonly prompt: string;
    readonly how: 'prompt' | 'steered' | 'queued';
  };
  readonly preToolUse: ToolHookEvent;
  readonly postToolUse: ToolHookEvent & { readonly text: string; readonly ms: number };
  readonly postToolUseFailure: ToolHookEvent & { readonly text: string; readonly ms: number };
  readonly permissionRequest: AgentHookEvent & { readonly request: PermissionRequest };
  readonly subagentStart: AgentHookEvent & { readonly child: SessionId; readonly task: string };
  readonly subagentStop: AgentHookEvent & { readonly child: SessionId; readonly task: string; readonly text: string };
  readonly stop: AgentHookEvent & { readonly text: string; readonly turns: number };
  readonly sessionEnd: AgentHookEvent & { readonly reason: string };
  readonly notification: AgentHookEvent & { readonly kind: string; readonly text: string };
  readonly errorOccurred: AgentHookEvent & { readonly failure: ModelFailure; readonly reason: RunEnd };
}

/** What each hook may answer. */
export interface AgentHookAnswers {
  readonly sessionStart: WithContext;
  readonly userPromptSubmit: PromptAnswer;
  readonly preToolUse: PreToolAnswer;
  readonly postToolUse: WithContext;
  readonly postToolUseFailure: WithContext;
  readonly permissionRequest: PermissionHookAnswer;
  readonly subagentStart: WithContext;
  readonly subagentStop: Record<never, never>;
  readonly stop: StopAnswer;
  readonly sessionEnd: Record<never, never>;
  readonly notification: Record<never, never>;
  readonly errorOccurred: Record<never, never>;
}

export type AgentHookName = keyof AgentHookEvents;

/**
 * Functions that run on the events of an agent. One that throws, times out or returns an invalid answer is reported and
 * skipped; only a denial or a block stops a call or a prompt.
 *
 * @example
 * const hooks: AgentHooks = {
 *   preToolUse: ({ tool, input }) =>
 *     tool === 'bash' && String(input.command).includes('git push') ? { deny: 'Pushing is not allowed here.' } : undefined,
 * };
 */
export type AgentHooks = {
  readonly [Name in AgentHookName]?: (event: AgentHookEvents[Name]) => Awaitable<AgentHookAnswers[Name] | undefined>;
} & {
  /** How many milliseconds each of these may take before it is skipped; 10,000 by default. */
  readonly timeout?: number;
};

/** The failure of a hook of an agent. The run continues. */
export interface AgentHookFailure extends Omit<HookFailure, 'hook'> {
  readonly hook: AgentHookName;
}
