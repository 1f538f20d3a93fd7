import type { Engine, EngineSession, PrepareInput } from '../engine/index.ts';
import type { watchMemory } from '../engine/internal.ts';
import type { Message } from '../message/index.ts';
import type { Model, ModelOptions, RetryPolicy } from '../models/index.ts';
import type { AgentEvent, EventSource } from './event.ts';
import type { AgentHooks } from './hooks/hooks.ts';
import type { LoopClock } from './loop/effect-context.ts';
import type { Saying } from './loop/queued-message.ts';
import type { Permissions } from './permission.ts';
import type { Pending } from './resume/pending.ts';
import type { Tool } from './tool.ts';

/** What an agent is made of. */
export interface AgentInput {
  /** From `engine.create` or `engine.open`. The agent writes to it and leaves it open. */
  readonly session: EngineSession;
  readonly model: Model;
  readonly tools?: readonly Tool[];
  /** Who decides what may run; by default reading inside the workspace is allowed, and nothing else. */
  readonly permissions?: Permissions;
  /** The folder that it works in; that of the process by default. */
  readonly cwd?: string;
  /** System messages or a prompt in place of ours, the instruction files and the list of skills. */
  readonly head?: PrepareInput['head'];
  /** The files of the workspace as a tree, for the head; it should stay the same for as long as the session lasts. */
  readonly tree?: string;
  /** Words of the engine at the end of the head: what this agent is for. They outlive every compaction. */
  readonly briefing?: string;
  /** The custom agent that is active: its instructions are part of the head, and summaries say that it was active (D13). */
  readonly profile?: AgentProfile;
  /** Further folders with skills, those of the user; `false` for none at all. */
  readonly skills?: { readonly folders?: readonly string[] } | false;
  /** Lets the agent hand work to others with the tool `task`. */
  readonly subagents?: SubagentInput;
  readonly options?: ModelOptions;
  readonly hooks?: AgentHooks | readonly AgentHooks[];
  /** Requests in one run; without end by default. */
  readonly maxTurns?: number;
  readonly retry?: RetryPolicy;
  readonly clock?: LoopClock;
  /** From 0 to 1, for the length of waits. */
  readonly random?: () => number;
  /** Milliseconds that a tool or a stream is given to end after it was told to; 2,000 by default. */
  readonly grace?: number;
  /** Compacts when a collection of garbage leaves more than this share of the heap in use; absent: nobody looks. */
  readonly memory?: Pick<Parameters<typeof watchMemory>[0], 'share' | 'observe'>;
}

/** A custom agent: a role with instructions of its own. */
export interface AgentProfile {
  readonly name: string;
  readonly description?: string;
  readonly instructions?: string;
}

/** What is said to begin with. */
export interface RunInput {
  /** Without one, what was interrupted goes on. */
  readonly prompt?: string | Message;
  /** The same key is the same prompt: it is said once, however often it is tried. */
  readonly key?: string;
}

/** An agent: one session, one model, its tools. */
export interface Agent {
  readonly session: EngineSession;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly state: 'idle' | 'running';
  /**
   * Works until nothing is left to do, and tells what happens. It begins at once; whoever stops reading ends it. Nothing
   * throws on the way: the last event is always `run_end`, which says how it ended.
   */
  run(input?: RunInput): AsyncIterableIterator<AgentEvent>;
  /** Said at the next boundary between tools, before the next request. It is durable when the promise resolves. */
  steer(text: string): Promise<void>;
  /** Said when the run would end. It is durable when the promise resolves. */
  queue(text: string): Promise<void>;
  /** Takes back what was steered or queued and has not been said. */
  withdraw(): Promise<readonly Saying[]>;
  /** Ends the run. The log stays valid: calls that did not run get a result that says so. */
  abort(): void;
  /** What was interrupted, read off the log. */
  pending(): Promise<Pending>;
  /** Speaks to another model from the next request on. What is too large for it is compacted with the old one first. */
  switchModel(model: Model): Promise<void>;
  /** Hears every event of all runs, those of sub-agents too, until what it returns is called. */
  on(listener: (event: AgentEvent, from: EventSource) => void): () => void;
  /** Ends the run and what tools left running. The session stays open. */
  close(): Promise<void>;
}

/** How an agent may hand work to others. */
export interface SubagentInput {
  /** Opens the sessions of sub-agents, each with its own log. */
  readonly engine: Pick<Engine, 'create'>;
  /** Theirs; by default the model of the agent itself. */
  readonly model?: Model;
  /** Theirs; by default those of the agent itself, without `task` and without those that act on its session. */
  readonly tools?: (session: EngineSession) => readonly Tool[] | Promise<readonly Tool[]>;
  /** Requests of one sub-agent; 50 by default. */
  readonly maxTurns?: number;
}
