import type { AgentHooks, Permissions, SubagentInput, Tool } from '../agent/index.ts';
import type { Hooks, Policy, PresetName, Summarizer } from '../engine/index.ts';
import type { EnvironmentVariables } from '../models/clients/index.ts';
import type { Model, ModelOptions } from '../models/index.ts';
import type { Store } from '../session/index.ts';

/** Where sessions are kept, which model answers, and what its agent may do. */
export interface LonghaulOptions {
  /** The folder for the sessions. Without `dir` and `store`, sessions are kept in memory. */
  readonly dir?: string;
  /** A store of your own instead of a folder. */
  readonly store?: Store;
  /** A model, or its name (`anthropic/claude-sonnet-4-5`). Needed by `send`; `prepare` accepts one per call. */
  readonly model?: Model | string;
  /** When to compact and what to keep: a preset by name, or a policy of your own. */
  readonly policy?: PresetName | Policy;
  /** How summaries are made; by default without a model. */
  readonly summarizer?: Summarizer;
  /** Tools of the agent behind `send`. */
  readonly tools?: readonly Tool[];
  /** Decides which tool calls may run; by default reading inside `cwd` and tools without effects. */
  readonly permissions?: Permissions;
  /** System prompt of the agent behind `send`, instead of the built-in one. */
  readonly system?: string;
  /** Options of every request that `send` makes. */
  readonly options?: ModelOptions;
  readonly hooks?: Hooks & AgentHooks;
  readonly subagents?: SubagentInput;
  /** Working folder of the agent; the process's by default. */
  readonly cwd?: string;
  /** Values that are masked in everything derived from a session, in addition to what looks like a key. */
  readonly secrets?: readonly string[];
  /** Where API keys are looked up when `model` is a name. Default: the process's environment. */
  readonly env?: EnvironmentVariables;
}
