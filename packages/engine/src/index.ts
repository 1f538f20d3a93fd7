/**
 * Longhaul keeps an agent's conversation inside its model's context window, for days, without losing anything.
 *
 * This entry is the product and needs Node. `longhaul/message` (messages, codecs, validity) runs anywhere.
 *
 * @module
 */
export type { Agent, AgentEvent, Permissions, Tool, ToolOutcome, ToolRun } from './agent/index.ts';
export type { EngineSession, Policy, Prepared, PresetName, Summarizer } from './engine/index.ts';
export type { ErrorFacts } from './errors.ts';
export { BudgetExceededError, LonghaulError } from './errors.ts';
export {
  type CommitInput,
  type Committed,
  createLonghaul,
  type Longhaul,
  type LonghaulOptions,
  type LonghaulSession,
  type PreparedRequest,
  type RequestInput,
} from './longhaul/index.ts';
export type * from './message/index.ts';
export { assistant, system, toolResult, user } from './message/index.ts';
export { createModel } from './models/clients/index.ts';
export { type CollectedAnswer, collect, type Model, type ModelFailure } from './models/index.ts';
export { createMemoryStore, openSqliteStore, type Store } from './session/index.ts';
