import { describe, expect, it } from 'vitest';
import { system } from '../../../message/index.ts';
import { lineOf, said } from '../../fixtures/entries.ts';
import type { Store } from '../store.ts';
import { headerOf, type StoreBench, start } from './bench.ts';

/** The list of sessions. */
export function describeList(on: StoreBench): void {
  describe('the list', () => {
    it('tells name, title, counts and time, also after a restart', async () => {
      await on.store.create({ header: headerOf('s1', { name: 'given' }) });
      const entries = lineOf({
        drafts: [
          {
            type: 'message',
            message: system('You are.'),
          },
          said('  Please\n\nfix the   build  '),
          { type: 'session_info', info: { name: 'renamed' } },
        ],
      });
      await on.append('s1', entries);
      const expected = {
        name: 'renamed',
        title: 'Please fix the build',
        count: 3,
        messages: 2,
        updatedAt: entries[2]?.at,
      };
      expect(await on.store.list()).toMatchObject([expected]);
      await on.reopen();
      expect(await on.store.list()).toMatchObject([expected]);
    });

    it('shows names and titles as one line that any database and terminal takes; the log has every byte', async () => {
      const raw = 'half \ud83d, NUL \u0000, \u001b[31mred\n\u2028end';
      const line = 'half \ufffd, NUL , [31mred end';
      await on.store.create({ header: headerOf('s1', { name: raw }) });
      expect(await on.store.list()).toMatchObject([{ name: line, header: { name: raw } }]);
      await on.append('s1', lineOf({ drafts: [said(raw), { type: 'session_info', info: { name: `${raw}!` } }] }));
      const expected = { name: `${line}!`, title: line };
      expect(await on.store.list()).toMatchObject([expected]);
      await on.reopen();
      expect(await on.store.list()).toMatchObject([expected]);
      expect(await on.everything()).toMatchObject([{}, { info: { name: `${raw}!` } }]);
    });

    it('takes an empty name for none, and a name once given by the header for one', async () => {
      await on.begin([
        { type: 'session_info', info: { name: 'x' } },
        { type: 'session_info', info: { name: '' } },
      ]);
      await on.store.create({ header: headerOf('s2', { name: 'head' }) });
      await on.append('s2', lineOf({ drafts: [{ type: 'session_info', info: { other: 1 } }] }));
      const names = new Map((await on.store.list()).map(({ header, name: given }) => [header.id, given]));
      expect(names).toEqual(
        new Map([
          ['s1', undefined],
          ['s2', 'head'],
        ]),
      );
    });

    it('sorts, limits, and finds by part of name, folder or id, by folder and by source', async () => {
      const source = { format: 'pi', key: 'file-1' };
      await on.store.create({ header: headerOf('s1', { name: 'Beta', createdAt: start + 3, cwd: '/home/x' }) });
      await on.store.create({ header: headerOf('s2', { name: 'Alpha', createdAt: start + 1, cwd: '/code/y' }) });
      await on.store.create({ header: headerOf('s3', { createdAt: start + 2, cwd: '/code/z', source }) });
      await on.append('s2', lineOf({ drafts: [said('a'), said('b')], at: start + 10 }));
      await on.append('s3', lineOf({ drafts: [said('c')], at: start + 50 }));
      const ids = async (query: Parameters<Store['list']>[0]) =>
        (await on.store.list(query)).map(({ header }) => header.id);
      expect(await ids({})).toEqual(['s3', 's2', 's1']);
      expect(await ids({ sort: 'created' })).toEqual(['s1', 's3', 's2']);
      expect(await ids({ sort: 'name' })).toEqual(['s2', 's1', 's3']);
      expect(await ids({ sort: 'entries', limit: 2 })).toEqual(['s2', 's3']);
      expect(await ids({ text: 'ALPH' })).toEqual(['s2']);
      expect(await ids({ text: '/code' })).toEqual(['s3', 's2']);
      expect(await ids({ text: '%' })).toEqual([]);
      expect(await ids({ text: 's1' })).toEqual(['s1']);
      expect(await ids({ cwd: '/code/z' })).toEqual(['s3']);
      expect(await ids({ cwd: '/code' })).toEqual([]);
      expect(await ids({ source })).toEqual(['s3']);
      expect(await ids({ source: { ...source, key: 'other' } })).toEqual([]);
    });
  });
}
