import { charsOf, type Mask } from '../../analysis/index.ts';
import type { SummaryInput } from '../summarizer.ts';
import type { AttemptOutcome, AttemptRunner } from './attempts.ts';
import type { SummaryBackend } from './backend.ts';
import { type FlatRecord, newItems } from './flat/record.ts';

/** One summary, and whoever is asked for it. */
export interface SummaryJob {
  readonly input: SummaryInput;
  readonly backend: SummaryBackend;
  /** The tokens that the voice takes, as far as it is known by now. */
  readonly inputLimit: number;
  readonly runner: AttemptRunner;
  /** What is to be told, as flat text; made when it is first wanted. */
  readonly record: () => Promise<FlatRecord>;
  readonly mask: Mask;
  /** What people wrote. */
  readonly said: readonly string[];
  /** How long the summary may be. */
  readonly words: number;
  readonly hasOther: boolean;
  readonly count: (text: string) => number;
}

/** One way to have a model summarize; nothing where it is not for this one. */
export type SummaryStrategy = (job: SummaryJob) => Promise<AttemptOutcome | undefined>;

/**
 * How long a model is asked to make it, in words: less than there is room for, since models write more than they are
 * asked for, and no more than a part of what it has to tell.
 */
export function wordsFor({ budget, items, previous }: Pick<SummaryInput, 'budget' | 'items' | 'previous'>): number {
  const told = newItems({ items, previous }).reduce((sum, { message }) => sum + charsOf(message), 0);
  const before = Object.values(previous?.narrative.sections ?? {}).join(' ').length / charsPerWord;
  const most = Math.min(mostWords, Math.floor(budget * 0.2));
  return Math.max(leastWords, Math.min(most, Math.floor(before + (told / charsPerWord) * 0.3)));
}

const mostWords = 2_500;
const leastWords = 80;
const charsPerWord = 6;
