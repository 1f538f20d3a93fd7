import { afterEach, beforeEach, describe } from 'vitest';
import { describeAppending } from './suite/appending.ts';
import { StoreBench, type StoreUnderTest } from './suite/bench.ts';
import { describeLeases } from './suite/leases.ts';
import { describeList } from './suite/list.ts';
import { describeReading } from './suite/reading.ts';
import { describeSearch } from './suite/search.ts';
import { describeSessions } from './suite/sessions.ts';
import { describeWriters } from './suite/writers.ts';

/** What every store must do. Each implementation calls this once from its test. */
export function describeStore({
  name,
  open,
}: {
  readonly name: string;
  readonly open: () => Promise<StoreUnderTest>;
}): void {
  describe(`${name}, as every store`, () => {
    const on = new StoreBench(open);
    beforeEach(() => on.set());
    afterEach(() => on.clear());

    describeSessions(on);
    describeAppending(on);
    describeWriters(on);
    describeLeases(on);
    describeReading(on);
    describeList(on);
    describeSearch(on);
  });
}
