// Map of the module:
// - `summarizer.ts`: the contract; `extractive.ts`: the strategy that needs no model; `in-worker.ts`, `worker.ts` run
//   it in a thread
// - `known-sections.ts`: what the engine itself puts into a summary; `fallback.ts` holds any summarizer to its time and
//   size
// - `model`: the strategies fork, full, simple and chunked over one or more backends; `accept.ts` judges, `attempts.ts`
//   repeats and records
// - `model/prompts`: every text that a model reads, with a version
// - `narrative`: the review of a model's text: claims, instructions, language, agreement with the frontier, length
// - `split-turn.ts`: two summaries where a cut goes through a turn

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
