import type { FailureRow } from './row.ts';
import { limitRows } from './rows-limits.ts';
import { overflowRows, oversizeRows } from './rows-overflow.ts';
import { requestRows } from './rows-request.ts';
import { transientRows } from './rows-transient.ts';

/**
 * All wordings, in the order in which they are tried: requests too large for any rate limit, what excludes overflow, overflow, what is wrong with the request,
 * what may pass. Statuses decide only where no wording does (see `classifyFailure`).
 *
 * @example
 * failureTable.filter((row) => row.kind === 'overflow').map((row) => `${row.provider}: ${row.example}`);
 */
export const failureTable: readonly FailureRow[] = [
  ...oversizeRows,
  ...limitRows,
  ...overflowRows,
  ...requestRows,
  ...transientRows,
];
