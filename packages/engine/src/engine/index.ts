/**
 * Keeps a conversation inside its model's window, for as long as it goes on: when to make it smaller, where to cut, what
 * to keep, and how to come back.
 *
 * @module
 */

export {
  advanceFrontier,
  type ChosenPins,
  type Cut,
  createFrontier,
  createMask,
  type Frontier,
  type FrontierSection,
  filesTouched,
  frontierLines,
  type Mask,
  type Pin,
  type Quotes,
  rulesOn,
  type Search,
  type SearchFinding,
  type SectionName,
  type SourceItem,
  type Survival,
  sourceItems,
  type Touch,
  type Trouble,
} from '../analysis/index.ts';
export type { TargetModel } from '../models/index.ts';
export type {
  Attempt,
  LiveRequest,
  Narrative,
  PinnedRule,
  PreviousSummary,
  RemoteEndpoint,
  Summarizer,
  Summary,
  SummaryCandidate,
  SummaryInput,
  SummaryLimits,
  SummaryMode,
} from '../summarize/index.ts';
export {
  createExtractiveSummarizer,
  createModelSummarizer,
  narrativeOf,
  type Reviewed,
  reviewNarrative,
} from '../summarize/index.ts';
export type { HeapUse } from './background/memory.ts';
export type { BranchSummary } from './branch/branch-summary.ts';
export type { MoveInput, MoveResult } from './branch/move.ts';
export type { MirrorFailure, MirrorReport } from './checkpoints/align.ts';
export { type Checkpoint, checkpointsOf } from './checkpoints/checkpoint.ts';
export { handlesText, tokensText } from './checkpoints/document.ts';
export { type Folder, openFolder } from './checkpoints/folder.ts';
export { type CheckpointMirror, mirrorCheckpoints } from './checkpoints/mirror.ts';
export { createEngine, type Engine } from './engine.ts';
export type { EngineSession } from './engine-session.ts';
export type { Amounts, EngineEvent, EngineEvents, EventName } from './events/event.ts';
export { eventLine } from './events/line.ts';
export type { EngineListener, EventStream, EventsInput } from './events/stream.ts';
export { type GuardCut, guardCut } from './guard/guard.ts';
export { combineHooks } from './hooks/combine.ts';
export type {
  AfterCompaction,
  AfterMove,
  BeforeCompaction,
  BeforeCompactionAnswer,
  BeforeMove,
  BeforeMoveAnswer,
  Compacting,
  CompactingAnswer,
  HookEvent,
  Hooks,
} from './hooks/hooks.ts';
export {
  matchesTrigger,
  type ShellCommand,
  type ShellCommands,
  type ShellEvent,
  shellEvents,
} from './hooks/shell/command.ts';
export type { ShellInputs } from './hooks/shell/input.ts';
export { type CommandExit, type CommandRequest, type RunCommand, runCommand } from './hooks/shell/run.ts';
export type { ShellPlace } from './hooks/shell/run-hook-command.ts';
export { createShellHooks, runShellHook, type ShellHookRun } from './hooks/shell/shell-hooks.ts';
export type { ShellHookVerdict } from './hooks/shell/verdict.ts';
export { pendingInput } from './pending-input.ts';
export type { PinInput } from './pin.ts';
export { keepRecentFor } from './plan/budget.ts';
export { type NoPlan, planCut } from './plan/cut.ts';
export { type Proposal, propose } from './plan/propose.ts';
export type { PolicyDecision } from './policy/decide.ts';
export { withEnvironment } from './policy/environment.ts';
export {
  overridesOf,
  type Policy,
  type PresetOverrides,
  type PrunePolicy,
  type SummaryPolicy,
  type TriggerPolicy,
} from './policy/policy.ts';
export { createPolicy, type PresetName, presets } from './policy/presets.ts';
export type { Situation } from './policy/situation.ts';
export type { CachePrices } from './prune/cache-prices.ts';
export type { PruneInput, PruneResult } from './prune/elide.ts';
export { type Offloaded, offload } from './prune/offload.ts';
export type { PrunePlan } from './prune/prune.ts';
export { createRecallTool, type RecallTool } from './recall/tool.ts';
export { repairMessages } from './repair-request.ts';
export { storedStrategy } from './stored-summary.ts';
export { followTranscript, type Transcript, type TranscriptState } from './transcript/follow.ts';
export { type LineFile, openLineFile } from './transcript/line-file.ts';
export {
  type Amount,
  type Budget,
  type CompactInput,
  type CompactionPlan,
  type CompactionResult,
  type HeldItem,
  type HookFailure,
  type HookName,
  type Inventory,
  type JobView,
  type LossKind,
  type LossReport,
  lossKinds,
  type PlanItem,
  type Preflight,
  type Prepared,
  type PrepareInput,
  type PrepareReport,
  type SessionSize,
  type SizeInput,
  type Trigger,
} from './types.ts';
