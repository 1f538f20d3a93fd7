import type { Engine, EngineSession, PrepareInput } from '../engine/index.ts';
import type { watchMemory } from '../engine/internal.ts';
import type { Message } from '../message/index.ts';
import type { Model, ModelOptions, RetryPolicy } from '../models/index.ts';
import type { Clock } from '../time.ts';
import type { AgentEvent, EventSource } from './event.ts';
import type { AgentHooks } from './hooks/hooks.ts';
import type { QueuedMessage } from './loop/queued-message.ts';
import type { PendingWork } from './pending.ts';
import type { Permissions } from './permission.ts';
import type { FileHistory } from './rollback/file-history.ts';
import type { Tool, ToolSource } from './tool.ts';

/** Input of `createAgent`. */
export interface AgentInput {
  /** From `engine.create` or `engine.open`. The agent writes to it and leaves it open. */
  readonly session: EngineSession;
  readonly model: Model;
  /**
   * The model that the session used so far, if it is another one. If the conversation does not fit the new one, this one
   * compacts it in the first run: it knows the conversation, and its cache is warm.
   */
  readonly previousModel?: Model | undefined;
  readonly tools?: readonly Tool[];
  /** Further tools, which may change between requests; sub-agents get them too. */
  readonly toolSources?: readonly ToolSource[];
  /** Decides what may run. Default: reading inside the workspace, nothing else. */
  readonly permissions?: Permissions;
  /** Working folder; default: that of the process. */
  readonly cwd?: string;
  /** Keeps files before they are changed, also those that sub-agents change, so that they can be rolled back. */
  readonly fileHistory?: FileHistory;
  /** System messages or a prompt that replace ours, the instruction files and the skill list. */
  readonly head?: PrepareInput['head'];
  /** The files of the workspace as a tree, for the head; should not change during the session. */
  readonly tree?: string;
  /** Date, system and repository, for the head; should not change during the session. */
  readonly environment?: string;
  /** Replaces our system prompt; instruction files and skills stay. */
  readonly systemPrompt?: string;
  /** Added to the end of the head, after the instructions of a custom agent. */
  readonly appendedPrompt?: string;
  /** Instruction files of the user, which come before those of the project; missing ones are skipped. */
  readonly userInstructions?: readonly string[];
  /**
   * Text of the engine at the end of the head, such as what this agent is for. It survives every compaction. A function
   * is called once per run, after the hooks of its prompt.
   */
  readonly briefing?: string | (() => string | undefined);
  /** The active custom agent: its instructions are part of the head, and summaries mention it (D13). */
  readonly profile?: AgentProfile;
  /** Additional skill folders of the user; `false` disables skills. */
  readonly skills?: { readonly folders?: readonly string[] } | false;
  /** Lets the agent delegate tasks with the tool `task`. */
  readonly subagents?: SubagentInput;
  readonly options?: ModelOptions;
  readonly hooks?: AgentHooks | readonly AgentHooks[];
  /** Limit of requests in one run; default: unlimited. */
  readonly maxTurns?: number;
  /**
   * Dollars that a run may cost, including sub-agents and summaries: it ends before a request that would exceed them.
   * Default: unlimited. Without known prices it has no effect.
   */
  readonly maxCostUsd?: number;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
  /** From 0 to 1, for retry jitter. */
  readonly random?: () => number;
  /** Milliseconds a tool or stream has to end after an abort; default: 2,000. */
  readonly grace?: number;
  /** Compacts when more than this share of the heap is in use after a garbage collection; default: off. */
  readonly memory?: Pick<Parameters<typeof watchMemory>[0], 'share' | 'observe'>;
}

/** A custom agent: a role with its own instructions. */
export interface AgentProfile {
  readonly name: string;
  readonly description?: string;
  readonly instructions?: string;
  /** The only tools it has; absent: all. */
  readonly tools?: readonly string[];
  /** Tools that it does not have. */
  readonly withoutTools?: readonly string[];
  /** Its model, as people name it; absent: that of the agent that starts it. */
  readonly model?: string;
  /** Limit of requests. */
  readonly maxTurns?: number;
  /** Works in a working copy of its own. */
  readonly isolation?: 'worktree';
}

/** Input of a run. */
export interface RunInput {
  /** Without a prompt, interrupted work continues. */
  readonly prompt?: string | Message;
  /** Idempotency key: a prompt with the same key is sent once, however often it is tried. */
  readonly key?: string;
}

/** An agent: one session, one model, its tools. */
export interface Agent {
  readonly session: EngineSession;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly state: 'idle' | 'running';
  /**
   * Works until nothing is left to do, and yields events. It starts immediately; returning from the iterator aborts it.
   * It does not throw: the last event is always `run_end`, with the reason.
   */
  run(input?: RunInput): AsyncIterableIterator<AgentEvent>;
  /** Sends a message at the next boundary between tools, before the next request. Durable when the promise resolves. */
  steer(message: string | Message): Promise<void>;
  /** Sends a message when the run would end. Durable when the promise resolves. */
  queue(message: string | Message): Promise<void>;
  /** Withdraws steered and queued messages that were not sent yet. */
  withdraw(): Promise<readonly QueuedMessage[]>;
  /** Ends the run. The log stays valid: calls that did not run get a result that says so. */
  abort(): void;
  /** Interrupted work, read from the log. */
  pending(): Promise<PendingWork>;
  /**
   * Switches to another model from the next request on. If the conversation does not fit, the old model compacts it
   * first.
   */
  switchModel(model: Model): Promise<void>;
  /** Subscribes to the events of all runs, including sub-agents; returns an unsubscribe function. */
  on(listener: (event: AgentEvent, from: EventSource) => void): () => void;
  /** Ends the run and all processes of tools. The session stays open. */
  close(): Promise<void>;
}

/** Settings of sub-agents. */
export interface SubagentInput {
  /** Creates the sessions of sub-agents, each with its own log. */
  readonly engine: Pick<Engine, 'create'>;
  /** Default: the model of the agent. */
  readonly model?: Model;
  /** Default: the tools of the agent, without `task` and without those bound to its session. */
  readonly tools?: (session: EngineSession) => readonly Tool[] | Promise<readonly Tool[]>;
  /** Limit of requests per sub-agent; default: 50. */
  readonly maxTurns?: number;
  /** Custom agents that a task can name. */
  readonly agents?: readonly AgentProfile[];
  /** The model that a custom agent names; `undefined` if it cannot be used, and the agent's own is used instead. */
  readonly modelFor?: (name: string) => Promise<Model | undefined>;
  /** Prepares a working copy for one sub-agent; without it there are none. Throws if there can be none. */
  readonly isolate?: (session: EngineSession) => Promise<IsolatedWork>;
}

/** A working copy of a sub-agent. */
export interface IsolatedWork {
  readonly cwd: string;
  /** Tools that work in it. */
  readonly tools: readonly Tool[];
  readonly permissions: Permissions;
  /** Called when the sub-agent has ended; says where its changes are, or removes the copy if there are none. */
  readonly finish: () => Promise<string>;
}
