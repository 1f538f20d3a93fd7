import { describe, expect, test } from 'vitest';
import type { Entry } from '../../session/index.ts';
import type { SummaryInput } from '../../summarize/summarizer.ts';
import { append, branched } from '../fixtures/branch.ts';
import { byCharacter } from '../fixtures/by-character.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { done, human, itemsOf, model, result } from '../fixtures/items.ts';
import { branchBudget, filesOf, filesText, newestOf } from './branch-summary.ts';

const count = (text: string) => text.length;
const countMessage = (message: object) => JSON.stringify(message).length;

describe('the budget of a branch summary', () => {
  test.each([
    [200_000, 183_616, 8_000],
    [undefined, 111_616, 8_000],
    [0, 111_616, 8_000],
    [24_000, 20_400, 2_040],
    // pi takes 8,000 less 16,384 for no limit at all (sessions.md 7.3).
    [8_000, 6_800, 680],
    [1_000, 850, 300],
  ])('of a window of %s reads %i and tells %i tokens', (window, read, reported) => {
    expect(branchBudget({ window })).toEqual({ read, summary: reported });
  });
});

describe('what is read of a branch', () => {
  const items = itemsOf(human('a'.repeat(100)), model('b'.repeat(100)), human('c'.repeat(100)));
  const size = countMessage(items[0]?.message ?? {});

  test('is the newest that fits, in order, and at least the newest of all', () => {
    const read = (budget: number) => newestOf({ items, folds: [], budget, countMessage });
    expect(read(size * 10)).toMatchObject({ items, left: 0 });
    expect(read(size * 2 + 10).items.map(({ handle }) => handle)).toEqual([2, 3]);
    expect(read(1)).toMatchObject({ items: [items[2]], left: 2 });
    expect(newestOf({ items: [], folds: [], budget: 10, countMessage })).toEqual({ items: [], left: 0, tokens: 0 });
  });

  test('has results in it, which count with what is read of them (sessions.md 7.3: pi drops them)', () => {
    const work = itemsOf(human('go'), done('Bash', { command: 'make' }, 'x'.repeat(100_000)), result('c', 'y'));
    const read = newestOf({ items: work, folds: [], budget: 4_000, countMessage });
    expect(read.items).toEqual(work);
    expect(read.tokens).toBeLessThan(4_000);
  });

  test('is a compaction of the branch in place of what does not fit, and what it kept', () => {
    const [first] = itemsOf(model('in short: a and b'));
    const fold = { item: { ...(first ?? items[0]), handle: 9 } as (typeof items)[number], to: 2 };
    const read = newestOf({ items, folds: [fold], budget: size * 2 + 10, countMessage });
    expect(read.items.map(({ handle }) => handle)).toEqual([9, 3]);
    expect(read).toMatchObject({ left: 2 });
    const all = newestOf({ items, folds: [fold], budget: size * 10, countMessage });
    expect(all.items).toEqual(items);
  });
});

describe('the files of a branch (sessions.md 7.3)', () => {
  const touch = (name: string, at: string) => done(name, { file_path: at, old_string: 'a', new_string: 'b' }, 'ok');
  const noted = (details: object, type = 'branch_summary') => ({ type, handle: 1, details }) as unknown as Entry;

  test('are those of all calls that worked, and of earlier summaries and compactions, ours and pi`s', () => {
    const items = itemsOf(
      touch('Read', 'a.ts'),
      touch('Edit', 'b.ts'),
      done('Edit', { file_path: 'failed.ts' }, 'no', true),
    );
    const entries = [
      noted({ files: { read: ['old.ts', 'b.ts'], changed: ['a.ts'] } }),
      noted({ readFiles: ['pi-read.ts', 7, 'x\ny'], modifiedFiles: ['pi-changed.ts'] }, 'compaction'),
      noted({ files: 'nonsense' }),
    ];
    expect(filesOf({ items, entries, root: undefined })).toEqual({
      read: ['old.ts', 'pi-read.ts'],
      changed: ['pi-changed.ts', 'a.ts', 'b.ts'],
    });
  });

  test('are one file under two names', () => {
    const entries = [noted({ files: { read: ['src/a.ts'], changed: [] } })];
    const { read, changed } = filesOf({ items: itemsOf(touch('Edit', '/repo/src/a.ts')), entries, root: '/repo' });
    expect([read, changed]).toEqual([[], ['src/a.ts']]);
  });

  test('are listed where the text does not name them, the newest first, within their budget', () => {
    const files = { read: ['r.ts'], changed: Array.from({ length: 50 }, (_, at) => `src/file-${at}.ts`) };
    const text = filesText({ files, besides: 'src/file-49.ts was bad', budget: 150, count });
    expect(text).toMatch(/^Also changed there:\n- src\/file-48\.ts\n- src\/file-47\.ts\n/);
    expect(text).toMatch(/… and \d+ more/);
    expect(text.length).toBeLessThanOrEqual(150);
    expect(filesText({ files: { read: [], changed: ['a'] }, besides: 'a', budget: 100, count })).toBe('');
  });

  test('reach the summary also from beyond its budget, and from there the next one', async () => {
    const asked: SummaryInput[] = [];
    const summarizer = {
      ...byCharacter,
      summarize: async (input: SummaryInput) => {
        asked.push(input);
        return { text: 'It did not work.', short: '' };
      },
    };
    const { session } = await begin({ summarizer });
    const [root] = await append(session, model('ready'));
    const [before] = await append(session, human('first'), model('ok'));
    await append(session, touch('Edit', 'far/away.ts'), human('x'.repeat(2_200)), model('y'.repeat(2_200)));
    const small = modelOf({ window: 5_000 });
    const { branch: reported, summary } = await session.move({ to: before?.id ?? '', summarize: true, model: small });
    expect(reported).toMatchObject({ left: 4 });
    expect(JSON.stringify(asked)).not.toContain('away.ts');
    expect(reported?.text).toBe('It did not work.\n\nAlso changed there:\n- far/away.ts');
    expect(summary?.parentId).toBe(root?.id);
    await append(session, human('second'), model('also bad'));
    const next = await session.move({ to: root?.id ?? '', summarize: true });
    expect(next.branch?.files.changed).toEqual(['far/away.ts']);
    expect(next.summary?.details).toMatchObject({ files: { changed: ['far/away.ts'] }, rung: 'extractive' });
  });
});

test('a branch that was compacted is read as it was said, not as it was summed up', async () => {
  const { session, answered } = await branched({ summarizer: byCharacter });
  const leaf = session.session.head.leaf;
  await session.session.compact({ summary: 'LOSSY', firstKeptId: leaf, tokensBefore: 9, trigger: 'manual' });
  const { branch: reported } = await session.move({ to: answered.id, summarize: true });
  expect(reported?.text).toContain('912 ms instead of 640 ms');
  expect(reported?.text).not.toContain('LOSSY');
});
