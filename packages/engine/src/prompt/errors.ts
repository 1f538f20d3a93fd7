import { BudgetExceededError as EngineBudgetExceededError, LonghaulError } from '../errors.ts';
import type { FitReport } from './fit-report.ts';
import type * as Raw from './output/raw.ts';
import { MetadataMap } from './results/metadata.ts';

/**
 * The prompt does not fit, and nothing more may be pruned. A subclass of the engine's error of the same name, so code
 * that handles that one handles this one.
 *
 * @example
 * try {
 *   await render({ element, budget: 100, tokenizer });
 * } catch (error) {
 *   if (error instanceof BudgetExceededError) console.log(error.part, error.messages.length, error.report);
 * }
 */
export class BudgetExceededError extends EngineBudgetExceededError {
  /** Metadata that was left in the tree. */
  metadata: MetadataMap = MetadataMap.empty;
  /** The messages before pruning. */
  messages: readonly Raw.ChatMessage[] = [];
  /** What was tried. */
  report: FitReport | undefined = undefined;
}

/** The error message of prompt-tsx. */
export function blockedAsOriginal(path: string): string {
  return `No lowest priority node found (path: ${path})`;
}

export function badBudget(budget: unknown): LonghaulError {
  return new LonghaulError({
    code: 'bad-budget',
    message: `Invalid budget ${String(budget)}: it must be a number of tokens, at least 0.`,
    hint: 'Give the token limit of the messages, or Infinity.',
  });
}

export function cancelled(): LonghaulError {
  return new LonghaulError({
    code: 'cancelled',
    message: 'The render was canceled.',
    hint: 'Render again if needed.',
  });
}
