import { describe, expect, it } from 'vitest';
import { said } from '../../fixtures/entries.ts';
import type { Lease, LeaseTable } from '../store.ts';
import type { StoreBench } from './bench.ts';

const lease = (token: string): Lease => ({
  token,
  purpose: 'test',
  host: 'here',
  machine: 'm',
  pid: 1,
  started: null,
  acquiredAt: 1,
  renewedAt: 2,
});

function tableOf({ store }: StoreBench): LeaseTable {
  if (!store.leases) throw new Error('This store has no leases.');
  return store.leases;
}

/** Leases are compared and set in one step, and are no part of the log. */
export function describeLeases(on: StoreBench): void {
  describe('a lease', () => {
    it('is set only where the expected one is in force', async () => {
      await on.begin([said('a')]);
      const table = tableOf(on);
      expect(await table.read('s1')).toBeNull();
      expect(await table.swap({ session: 's1', expect: null, next: lease('one') })).toEqual(lease('one'));
      expect(await table.swap({ session: 's1', expect: null, next: lease('two') })).toEqual(lease('one'));
      expect(await table.swap({ session: 's1', expect: 'one', next: lease('two') })).toEqual(lease('two'));
      expect(await table.swap({ session: 's1', expect: 'one', next: null })).toEqual(lease('two'));
      expect(await table.swap({ session: 's1', expect: 'two', next: null })).toBeNull();
      expect(await table.read('s1')).toBeNull();
      expect(await on.everything()).toHaveLength(1);
    });

    it('of many at once goes to exactly one', async () => {
      await on.begin([said('a')]);
      const tries = Array.from({ length: 8 }, (_, index) =>
        tableOf(on).swap({ session: 's1', expect: null, next: lease(`t${index}`) }),
      );
      const tokens = (await Promise.all(tries)).map((held) => held?.token);
      expect(new Set(tokens).size).toBe(1);
    });

    it('needs a session', async () => {
      const swap = tableOf(on).swap({ session: 'none', expect: null, next: lease('one') });
      await expect(swap).rejects.toMatchObject({ code: 'session-missing' });
    });
  });
}
