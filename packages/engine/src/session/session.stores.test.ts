import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { operations, perform } from './fixtures/operations.ts';
import { tools } from './fixtures/sessions.ts';
import { createSession, openSession } from './live/live-session.ts';
import type { Session } from './session.ts';
import { createMemoryStore } from './store/memory.ts';
import { temporaryFolder } from './store/sqlite/fixtures.ts';
import { openSqliteStore } from './store/sqlite/index.ts';
import type { Store } from './store/store.ts';

/** Everything a session is, as bytes. */
async function stateOf({ session, store }: { readonly session: Session; readonly store: Store }): Promise<string> {
  const { head, context } = session;
  const [summary] = await store.list({ text: session.id });
  return JSON.stringify({ head, context, summary, log: await session.read({ after: 0 }) });
}

describe('the same that happens in every store', () => {
  it('leaves the same bytes: log, head, context and list, live and after a restart', async () => {
    const { dir, remove } = temporaryFolder();
    let sqlite = await openSqliteStore({ dir });
    let number = 0;
    try {
      await fc.assert(
        fc.asyncProperty(operations, fc.boolean(), async (list, isRestarted) => {
          number += 1;
          const header = { id: `case-${number}-` };
          const memory = createMemoryStore();
          const one = await createSession({ store: memory, header, ...tools() });
          let two = await createSession({ store: sqlite, header, ...tools() });
          for (const operation of list) {
            await perform({ session: one, operation });
            await perform({ session: two, operation });
          }
          const expected = await stateOf({ session: one, store: memory });
          expect(await stateOf({ session: two, store: sqlite })).toBe(expected);
          if (isRestarted) {
            await sqlite.close();
            sqlite = await openSqliteStore({ dir });
          }
          two = await openSession({ store: sqlite, id: header.id });
          expect(await stateOf({ session: two, store: sqlite })).toBe(expected);
        }),
        runs(15),
      );
    } finally {
      await sqlite.close();
      remove();
    }
  });
});
