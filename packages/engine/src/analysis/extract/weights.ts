import type { TermKind } from './terms.ts';

/** The origin of a line. */
export type LineOrigin = 'human' | 'model' | 'thinking' | 'call' | 'result' | 'error' | 'engine' | 'data';

/** Weights by cause. Factors are multiplied; 1 is neutral. */
export interface Weights {
  readonly origin: Readonly<Record<LineOrigin, number>>;
  readonly kind: Readonly<Record<TermKind, number>>;
  /** A pair of adjacent words. */
  readonly pair: number;
  /** A reason or a result. */
  readonly reason: number;
  /** A rule or a checklist item. */
  readonly rule: number;
  /** A name with a value. */
  readonly definition: number;
  /** In code and output: a text for people, such as an error message or a label. */
  readonly message: number;
  /** In code and output: a number or a constant, which cannot be derived. */
  readonly value: number;
  /** In code and output: imports and directory listings. */
  readonly boilerplate: number;
  /** In code: a statement without a text, a number or a comment, which says nothing that other code does not say. */
  readonly statement: number;
  /** In output: how a command ended. */
  readonly status: number;
  /** Short results, as opposed to long listings. */
  readonly brief: number;
  /** A term of the focus. */
  readonly focus: number;
  /** The factor on a term's worth each time it is selected. */
  readonly again: number;
}

/** Tuned on recorded sessions. Not sensitive: halving or doubling one changes little. */
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
