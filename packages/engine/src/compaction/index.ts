/**
 * Keeps a conversation inside its model's window, for as long as it goes on: when to make it smaller, where to cut, what
 * to keep, and how to come back.
 *
 * @module
 */
export type { CompactInput } from './engine/compactor.ts';
export { createEngine, type Engine } from './engine/engine.ts';
export type { EngineSession } from './engine/engine-session.ts';
export type { EngineEvents } from './engine/events.ts';
export { mend } from './engine/legal.ts';
export type { PinInput } from './engine/pin.ts';
export { type Decision, decide, longhaulPolicy, type Policy } from './engine/policy.ts';
export type { Prepared, PrepareInput, PrepareReport } from './engine/prepared.ts';
export type { PruneInput, PruneResult } from './engine/prune.ts';
export type { CompactionResult, LossReport } from './engine/result.ts';
export type { TargetModel } from './engine/scale.ts';
export { BudgetExceededError } from './errors.ts';
export { type SectionName, sectionNames } from './extract/document/sections.ts';
export { advanceFrontier } from './frontier/advance.ts';
export { createFrontier, type Frontier } from './frontier/frontier.ts';
export { type FrontierSection, frontierLines } from './frontier/lines.ts';
export { type GuardCut, guardCut } from './guard/guard.ts';
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
export { type NoPlan, type Plan, type PlanItem, planCut } from './plan/plan.ts';
export { type HeldItem, type Proposal, propose } from './propose.ts';
export { createRecallTool, type RecallTool } from './recall/tool.ts';
export { createSearch, type Finding, findingsText, type Search, searchItems } from './search/search.ts';
export { createMask, type Mask } from './secrets/mask.ts';
export { type SourceItem, sourceItems } from './source.ts';
export { createExtractiveSummariser } from './summarise/in-worker.ts';
export { afterSummary } from './summarise/model/after.ts';
export type { Candidate } from './summarise/model/candidates.ts';
export { createModelSummariser, type SummaryMode } from './summarise/model/model-summariser.ts';
export { promptVersion } from './summarise/model/prompts/version.ts';
export type { RemoteEndpoint } from './summarise/model/remote.ts';
export { summaryRequest } from './summarise/model/request.ts';
export type { Limits as SummaryLimits } from './summarise/model/tries.ts';
export type {
  Attempt,
  LiveRequest,
  Narrative,
  PinnedRule,
  PreviousSummary,
  Summariser,
  Summary,
  SummaryInput,
} from './summarise/summariser.ts';
export { capOutputs } from './tool-output/cap.ts';
export { type Offloaded, offload } from './tool-output/offload.ts';
export { type CachePrices, paysOff } from './tool-output/pays-off.ts';
export { type PrunePlan, planPrune } from './tool-output/prune.ts';
export { inferSchema } from './tool-output/schema.ts';
