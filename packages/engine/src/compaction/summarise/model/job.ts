import type { Mask } from '../../secrets/mask.ts';
import type { SummaryInput } from '../summariser.ts';
import type { Outcome, Tries } from './tries.ts';
import type { Voice } from './voice.ts';

/** One summary, and whoever is asked for it. */
export interface Job {
  readonly input: SummaryInput;
  readonly voice: Voice;
  /** The tokens that the voice takes, as far as it is known by now. */
  readonly room: number;
  readonly tries: Tries;
  readonly mask: Mask;
  /** What people wrote. */
  readonly said: readonly string[];
  /** How long the summary may be. */
  readonly words: number;
  readonly hasOther: boolean;
  readonly count: (text: string) => number;
}

/** One way to have a model summarise; nothing where it is not for this one. */
export type Rung = (job: Job) => Promise<Outcome | undefined>;

/** Of a summary's tokens, what a model is asked for, in words: less than it has room for, since models write more. */
export function wordsFor({ budget }: { readonly budget: number }): number {
  return Math.max(80, Math.min(2_500, Math.floor(budget * 0.2)));
}
