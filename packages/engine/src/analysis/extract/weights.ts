import type { TermKind } from './terms.ts';

/** Where a line comes from. */
export type Origin = 'human' | 'model' | 'thinking' | 'call' | 'result' | 'error' | 'engine' | 'data';

/** What makes a line worth keeping, by cause. Factors multiply; 1 leaves things as they are. */
export interface Weights {
  readonly origin: Readonly<Record<Origin, number>>;
  readonly kind: Readonly<Record<TermKind, number>>;
  /** Two words side by side: what sentences of common words consist of. */
  readonly pair: number;
  /** Why something was done, or how it came out. */
  readonly reason: number;
  /** What must or must not be done, and what is on a list of things to do. */
  readonly rule: number;
  /** A name gets a value. */
  readonly definition: number;
  /** In code and output: a text that people are meant to read, such as an error message or a label. */
  readonly message: number;
  /** In code and output: a number or a constant that can only be known, not derived. */
  readonly value: number;
  /** In code and output: imports and the rows of directory listings. */
  readonly boilerplate: number;
  /** In code: a statement without a text, a number or a comment, which says nothing that other code does not say. */
  readonly statement: number;
  /** In output: how a command ended. */
  readonly status: number;
  /** Results of a few lines were asked for as such; listings of hundreds were not. */
  readonly brief: number;
  /** A term of what the summary shall be about. */
  readonly focus: number;
  /** What is left of a term's worth after each time it was taken. */
  readonly again: number;
}

/** Found on recorded sessions. None stands on an edge: half or twice as much of one changes little. */
export const defaultWeights: Weights = {
  origin: { human: 4, model: 2.6, thinking: 0.8, call: 1.5, result: 1, error: 1.7, engine: 1, data: 1 },
  kind: {
    url: 1.2,
    path: 1.8,
    issue: 2,
    hash: 1.4,
    version: 1.5,
    number: 1.3,
    name: 1.2,
    word: 0.4,
    time: 0.2,
  },
  pair: 0.3,
  reason: 1.3,
  rule: 2.5,
  definition: 1.15,
  message: 1.2,
  value: 1.25,
  boilerplate: 0.4,
  statement: 0.7,
  status: 2,
  brief: 4,
  focus: 4,
  again: 0.15,
};
