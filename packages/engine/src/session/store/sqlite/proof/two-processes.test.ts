import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures.ts';
import { openSqliteStore } from '../index.ts';
import { session } from './log.ts';
import { start } from './process.ts';
import { tell } from './tell.ts';

describe('two processes write to one session', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('loses nothing and mixes nothing up in 10,000 appends, and tells of every conflict', async () => {
    const share = 5000;
    const store = await openSqliteStore({ dir: folder.dir });
    await store.create({ header: { v: 1, id: session, createdAt: 0 } });
    const reports = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const { lines, ended } = start({ file: './contender.ts', args: [folder.dir, name, String(share)] });
        let report = '';
        for await (const line of lines) report = line;
        expect(await ended).toBe(0);
        return JSON.parse(report) as { name: string; conflicts: number };
      }),
    );
    const entries = await store.read({ session, query: { after: 0 } });
    expect(await store.head(session)).toMatchObject({ last: 2 * share, count: 2 * share, leaf: entries.at(-1)?.id });
    // A chain: each follows the one before, whoever wrote that.
    expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
    expect(entries.map(({ handle }) => handle)).toEqual(entries.map((_, index) => index + 1));
    for (const name of ['a', 'b']) {
      const own = entries.flatMap((entry) =>
        entry.type === 'custom' && entry.customType === name ? [entry.data] : [],
      );
      expect(own).toEqual(Array.from({ length: share }, (_, index) => index + 1));
    }
    // Whoever does not write next after itself had to be told that the other was there.
    const changes = entries.filter((entry, index) => index > 0 && entry.id[0] !== entries[index - 1]?.id[0]).length;
    const conflicts = reports.reduce((sum, report) => sum + report.conflicts, 0);
    expect(conflicts).toBeGreaterThanOrEqual(changes);
    await store.close();
    tell(`two processes: ${2 * share} appends, ${conflicts} conflicts, ${changes} changes of the writer`);
  });
});
