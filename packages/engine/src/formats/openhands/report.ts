import type { WarningList } from '../report.ts';
import type { Tally } from '../tally.ts';

/** Where a reader says what it could not bring in. */
export interface Report {
  readonly tally: Tally;
  readonly warnings: WarningList;
}
