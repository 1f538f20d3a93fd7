/**
 * Keeps a conversation inside its model's window, for as long as it goes on: when to make it smaller, where to cut, what
 * to keep, and how to come back.
 *
 * @module
 */
export { BudgetExceededError } from '../errors.ts';
export { type HeapUse, watchMemory } from './background/memory.ts';
export type { MoveInput, MoveResult } from './branch/move.ts';
export type { ToldBranch } from './branch/tell.ts';
export { filesTouched, type Touch } from './calls/files-touched.ts';
export type { MirrorFailure, MirrorReport } from './checkpoints/align.ts';
export { type Checkpoint, checkpointsOf } from './checkpoints/checkpoint.ts';
export { handlesText, tokensText } from './checkpoints/document.ts';
export { type Folder, openFolder } from './checkpoints/folder.ts';
export { type CheckpointMirror, mirrorCheckpoints } from './checkpoints/mirror.ts';
export { createEngine, type Engine } from './engine/engine.ts';
export type { EngineSession } from './engine/engine-session.ts';
export { mend } from './engine/legal.ts';
export type { CompactInput } from './engine/order.ts';
export type { PinInput } from './engine/pin.ts';
export type { Preflight, Prepared, PrepareInput, PrepareReport, SessionSize, SizeInput } from './engine/prepared.ts';
export type { PruneInput, PruneResult } from './engine/prune.ts';
export type { CompactionResult, LossReport } from './engine/result.ts';
export type { TargetModel } from './engine/scale.ts';
export { amountsOf, lessOf } from './events/amounts.ts';
export { type Amounts, type EngineEvent, type EngineEvents, type EventName, eventNames } from './events/event.ts';
export { eventLine } from './events/line.ts';
export { createEventStream, type EventStream, type EventsInput, type Listener } from './events/stream.ts';
export { type SectionName, sectionNames } from './extract/document/sections.ts';
export { advanceFrontier } from './frontier/advance.ts';
export { createFrontier, type Frontier } from './frontier/frontier.ts';
export { type FrontierSection, frontierLines } from './frontier/lines.ts';
export { type GuardCut, guardCut } from './guard/guard.ts';
export { combineHooks } from './hooks/combine.ts';
export { HookError, inTime } from './hooks/hook-error.ts';
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
  HookFailure,
  HookName,
  Hooks,
} from './hooks/hooks.ts';
export { isMeant, type ShellCommand, type ShellCommands, type ShellEvent, shellEvents } from './hooks/shell/command.ts';
export { hookEnvironment } from './hooks/shell/environment.ts';
export { type ShellInputs, shellInput } from './hooks/shell/input.ts';
export { type Ended, type Errand, type Run, runCommand } from './hooks/shell/run.ts';
export { createShellHooks, runShellHook, type ShellPlace, type ShellRun } from './hooks/shell/shell-hooks.ts';
export type { Verdict } from './hooks/shell/verdict.ts';
export { decisionsIn } from './human/decisions.ts';
export { type Quotes, quoteHumans } from './human/quotes.ts';
export { type Trouble, troublesIn } from './human/troubles.ts';
export { type Amount, type Inventory, inventoryOf, type LossKind, lossKinds } from './loss/inventory.ts';
export { type ChosenPins, choosePins } from './pins/choose.ts';
export { checkPin } from './pins/hand.ts';
export { gatherPins, type Pin, rulesOn } from './pins/pins.ts';
export { type Survival, survivalOf } from './pins/survival.ts';
export { type Budget, budgetOf, keepRecentFor } from './plan/budget.ts';
export { type Cut, cutsOf } from './plan/cuts.ts';
export { pendingInput } from './plan/pending.ts';
export { type NoPlan, type Plan, type PlanItem, planCut } from './plan/plan.ts';
export { continuationFor } from './policy/continuation.ts';
export { type Decision, decide, shareOf } from './policy/decide.ts';
export { withEnvironment } from './policy/environment.ts';
export type { Policy } from './policy/policy.ts';
export { type PresetName, presets } from './policy/presets.ts';
export type { JobView, Situation, Trigger } from './policy/situation.ts';
export { type HeldItem, type Proposal, propose } from './propose.ts';
export { createRecallTool, type RecallTool } from './recall/tool.ts';
export { createSearch, type Finding, findingsText, type Search, searchItems } from './search/search.ts';
export { createMask, type Mask } from './secrets/mask.ts';
export { maskJsonText } from './secrets/masked-items.ts';
export { type SourceItem, sourceItems } from './source.ts';
export { createExtractiveSummariser } from './summarise/in-worker.ts';
export { afterSummary } from './summarise/model/after.ts';
export type { Candidate } from './summarise/model/candidates.ts';
export { narrativeOf } from './summarise/model/headings.ts';
export { createModelSummariser } from './summarise/model/model-summariser.ts';
export { promptVersion } from './summarise/model/prompts/version.ts';
export type { RemoteEndpoint } from './summarise/model/remote.ts';
export { summaryRequest } from './summarise/model/request.ts';
export type { Limits as SummaryLimits } from './summarise/model/tries.ts';
export { type Reviewed, reviewNarrative } from './summarise/narrative/sound.ts';
export type {
  Attempt,
  LiveRequest,
  Narrative,
  PinnedRule,
  PreviousSummary,
  Summariser,
  Summary,
  SummaryInput,
  SummaryMode,
} from './summarise/summariser.ts';
export { capOutputs } from './tool-output/cap.ts';
export { type Offloaded, offload } from './tool-output/offload.ts';
export { offloadOutputs } from './tool-output/offload-outputs.ts';
export { type CachePrices, paysOff } from './tool-output/pays-off.ts';
export { type PrunePlan, planPrune } from './tool-output/prune.ts';
export { inferSchema } from './tool-output/schema.ts';
export { followTranscript, type Transcript, type TranscriptState } from './transcript/follow.ts';
export { type LineFile, openLineFile } from './transcript/line-file.ts';
