export { attemptTotals } from './attempts.ts';
export { createBoundedSummarizer, createFallbackSummarizer } from './fallback.ts';
export { createExtractiveSummarizer } from './in-worker.ts';
export { afterSummary } from './model/after.ts';
export type { SummaryLimits } from './model/attempts.ts';
export type { SummaryCandidate } from './model/candidates.ts';
export { narrativeOf } from './model/headings.ts';
export { createModelSummarizer } from './model/model-summarizer.ts';
export { promptVersion } from './model/prompts/version.ts';
export type { RemoteEndpoint } from './model/remote.ts';
export { summaryRequest } from './model/request.ts';
export { type Reviewed, reviewNarrative } from './narrative/sound.ts';
export { summarizeSplitTurn } from './split-turn.ts';
export type {
  Attempt,
  LiveRequest,
  Narrative,
  PinnedRule,
  PreviousSummary,
  Summarizer,
  Summary,
  SummaryInput,
  SummaryMode,
} from './summarizer.ts';
