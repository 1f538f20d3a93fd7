import { BudgetExceededError, LonghaulError } from '../../errors.ts';
import type { ModelFailure } from '../../models/index.ts';

/** Converts an error of the engine or store to the failure of a run. */
export function failureFrom(error: unknown): ModelFailure {
  const message = LonghaulError.is(error) ? `${error.message} ${error.hint}` : String(error);
  const isTooLarge =
    error instanceof BudgetExceededError || (LonghaulError.is(error) && error.code === 'still-too-long');
  return { kind: isTooLarge ? 'overflow' : 'unknown', message, retryable: false };
}
