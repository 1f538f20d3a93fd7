// The contract: what a summarizer gets and returns.

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

// Summarizers: extractive, by models, and combinations of both.

export { createBoundedSummarizer, createFallbackSummarizer } from './fallback.ts';
export { createExtractiveSummarizer } from './in-worker.ts';
export type { SummaryLimits } from './model/attempts.ts';
export type { SummaryCandidate } from './model/candidates.ts';
export { createModelSummarizer } from './model/model-summarizer.ts';
export type { RemoteEndpoint } from './model/remote.ts';
export { summarizeSplitTurn } from './split-turn.ts';

// Requests and answers of models, for evaluation and for models called elsewhere.

export { narrativeOf } from './model/headings.ts';
export { promptVersion } from './model/prompts/version.ts';
export { summaryRequest } from './model/request.ts';
export { type Reviewed, reviewNarrative } from './narrative/review-narrative.ts';

// After a summary: adjustments for the model, and the cost of all attempts.

export { attemptTotals } from './attempt-totals.ts';
export { afterSummary } from './model/after.ts';
