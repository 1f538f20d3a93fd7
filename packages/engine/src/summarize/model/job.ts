import { charsOf, type Mask } from '../../analysis/index.ts';
import type { SummaryInput } from '../summarizer.ts';
import type { AttemptOutcome, AttemptRunner } from './attempts.ts';
import type { SummaryBackend } from './backend.ts';
import { type FlatRecord, newItems } from './flat-record.ts';

/** A summary to be written by one backend. */
export interface SummaryJob {
  readonly input: SummaryInput;
  readonly backend: SummaryBackend;
  /** The maximum tokens of a request, lowered when the provider reports a smaller limit. */
  readonly inputLimit: number;
  readonly runner: AttemptRunner;
  /** The items as flat text, built on first use. */
  readonly record: () => Promise<FlatRecord>;
  readonly mask: Mask;
  /** The texts that people wrote. */
  readonly said: readonly string[];
  /** The maximum words of the summary. */
  readonly words: number;
  readonly hasAlternative: boolean;
  readonly count: (text: string) => number;
}

/** One way to have a model summarize; undefined if it does not apply to the backend. */
export type SummaryStrategy = (job: SummaryJob) => Promise<AttemptOutcome | undefined>;

/**
 * The length a model is asked for, in words: less than the budget, because models write more than asked, and at most a
 * part of what it covers.
 */
export function wordsFor({ budget, items, previous }: Pick<SummaryInput, 'budget' | 'items' | 'previous'>): number {
  const chars = newItems({ items, previous }).reduce((sum, { message }) => sum + charsOf(message), 0);
  const before = Object.values(previous?.narrative.sections ?? {}).join(' ').length / charsPerWord;
  const most = Math.min(maxWords, Math.floor(budget * 0.2));
  return Math.max(minWords, Math.min(most, Math.floor(before + (chars / charsPerWord) * 0.3)));
}

const maxWords = 2_500;
const minWords = 80;
const charsPerWord = 6;
