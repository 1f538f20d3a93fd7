import { BudgetExceededError as EngineBudgetExceededError, LonghaulError } from '../errors.ts';
import type { FitReport } from './fit-report.ts';
import type * as Raw from './output/raw.ts';
import { MetadataMap } from './results/metadata.ts';

/**
 * A prompt does not fit, and nothing more may go. It is the engine's error of the same name: whoever compacts on that
 * one compacts on this one.
 *
 * @example
 * try {
 *   await render({ element, budget: 100, tokenizer });
 * } catch (error) {
 *   if (error instanceof BudgetExceededError) console.log(error.part, error.messages.length, error.report);
 * }
 */
export class BudgetExceededError extends EngineBudgetExceededError {
  /** What was still in the tree when nothing more could go. */
  metadata: MetadataMap = MetadataMap.empty;
  /** The messages before anything went. */
  messages: readonly Raw.ChatMessage[] = [];
  /** What was tried. */
  report: FitReport | undefined = undefined;
}

/** The sentence of prompt-tsx. */
export function blockedAsOriginal(path: string): string {
  return `No lowest priority node found (path: ${path})`;
}

export function badBudget(budget: unknown): LonghaulError {
  return new LonghaulError({
    code: 'bad-budget',
    message: `A budget of ${String(budget)} is no number of tokens from 0 on.`,
    hint: 'Give the most tokens that the messages may count, or Infinity.',
  });
}

export function cancelled(): LonghaulError {
  return new LonghaulError({
    code: 'cancelled',
    message: 'The render was cancelled before it was done.',
    hint: 'Render again when it is wanted.',
  });
}
