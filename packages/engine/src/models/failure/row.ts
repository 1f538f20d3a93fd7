import type { FailureKind } from './failure.ts';

/** One wording of one provider. The example is also the test: it must be recognized by this row and no earlier one. */
export interface FailureRow {
  readonly kind: FailureKind;
  /** Whose words these are. */
  readonly provider: string;
  /** Matched against each text of a report. The groups `limit` and `used` catch the numbers an overflow names. */
  readonly pattern: RegExp;
  /** The provider's wording with ids shortened; where only a phrase is on record, the phrase. */
  readonly example: string;
  /** What the groups find in the example. */
  readonly limit?: number;
  readonly used?: number;
  /** A limit that the wording means without naming it. */
  readonly implied?: number;
  /** The provider rejects earlier reasoning; without it the request may be accepted. */
  readonly rejectsThinking?: true;
  /** The row holds for these providers only; elsewhere the same words mean something else. */
  readonly only?: readonly string[];
  /** With one of these statuses the words mean something else. */
  readonly unless?: readonly number[];
  /** If any text of the report matches this, the row does not apply. */
  readonly without?: RegExp;
}
