import { describe, expect, test } from 'vitest';
import type { SearchCode } from './search-code.ts';
import { folderWith, toolsIn } from './tools.fixture.ts';

const found = (path: string) => ({
  path,
  startLine: 3,
  endLine: 4,
  text: 'one\ntwo\u001b[31m',
  reasons: ['path names it'],
});

function searching(paths: readonly string[]): SearchCode & { readonly asked: unknown[]; isClosed: boolean } {
  const searcher = {
    asked: [] as unknown[],
    isClosed: false,
    async search({ accept, ...rest }: Parameters<SearchCode['search']>[0]) {
      searcher.asked.push({ query: rest.query, limit: rest.limit });
      return paths.filter(accept).map(found);
    },
    async close() {
      searcher.isClosed = true;
    },
  };
  return searcher;
}

describe('search_code', () => {
  test('returns locations with line numbers, without terminal sequences', async () => {
    const searchCode = searching(['src/a.ts']);
    const { say, tool } = toolsIn({ cwd: folderWith(), searchCode });
    expect(await say('search_code', { query: 'a thing', limit: 5 })).toMatch(
      /^src\/a\.ts:3-4 \(path names it\)\n3\tone\n4\ttwo/,
    );
    expect(await say('search_code', { query: 'a thing' })).not.toContain('\u001b');
    expect(searchCode.asked).toContainEqual({ query: 'a thing', limit: 5 });
    await tool('search_code').close?.();
    expect(searchCode.isClosed).toBe(true);
  });

  test('accepts no files with secrets and none that rules deny', async () => {
    const searchCode = searching(['.env', 'private/key.ts', 'config/id_rsa', 'src/a.ts']);
    for (const deny of ['read(private/**)', 'search_code(private/**)']) {
      const { say } = toolsIn({ cwd: folderWith(), searchCode, deny: [deny] });
      const text = await say('search_code', { query: 'x' });
      expect(text).toContain('src/a.ts');
      expect(text).not.toMatch(/env|private|id_rsa/);
    }
  });

  test('is not available without a search, and declares read access', async () => {
    const without = toolsIn({ cwd: folderWith() });
    expect(without.tools.map(({ definition }) => definition.name)).not.toContain('search_code');
    const cwd = folderWith();
    const { tool } = toolsIn({ cwd, searchCode: searching([]) });
    expect(await tool('search_code').access({ query: 'x' })).toEqual({ kind: 'read', paths: [cwd], isOutside: false });
  });

  test('reports invalid arguments and no matches', async () => {
    const { say } = toolsIn({ cwd: folderWith(), searchCode: searching([]) });
    expect(await say('search_code', {})).toContain('search_code needs query');
    expect(await say('search_code', { query: 'x', limit: 500 })).toContain('limit must be a whole number');
    expect(await say('search_code', { query: 'x' })).toBe('No matches.');
  });
});

describe('read of a file over its limit', () => {
  const line = (at: number) => `line ${at}`;
  const long = Array.from({ length: 3_000 }, (_, at) => line(at + 1)).join('\n');

  test('returns the outline with the lines of each gap, if available', async () => {
    const asked: unknown[] = [];
    const cwd = folderWith({ 'long.ts': long, 'short.ts': 'one\ntwo\n' });
    const { say } = toolsIn({
      cwd,
      outline: async ({ around, text }) => {
        asked.push(around);
        expect(text).toBe(long);
        return [
          { from: 2, to: 3 },
          { from: 2_999, to: 2_999 },
        ];
      },
    });
    expect(await say('read', { file_path: 'long.ts' })).toBe(
      [
        '[lines 1-1: offset 1, limit 1]',
        '2\tline 2',
        '3\tline 3',
        '[lines 4-2998: offset 4, limit 2995]',
        '2999\tline 2999',
        '[lines 3000-3000: offset 3000, limit 1]',
        '[long.ts has 3000 lines, too many to show. This is an outline; read a gap with its offset and limit.]',
      ].join('\n'),
    );
    await say('read', { file_path: 'long.ts', offset: 100 });
    expect(asked).toEqual([undefined, { from: 100, to: expect.any(Number) }]);
  });

  test('a requested part that fits is returned unchanged', async () => {
    const cwd = folderWith({ 'long.ts': long, 'short.ts': 'one\ntwo\n' });
    let calls = 0;
    const outline = async () => {
      calls += 1;
      return undefined;
    };
    const { say } = toolsIn({ cwd, outline });
    expect(await say('read', { file_path: 'short.ts' })).toBe('1\tone\n2\ttwo');
    expect(await say('read', { file_path: 'long.ts', offset: 10, limit: 2 })).toMatch(/^10\tline 10\n11\tline 11\n/);
    expect(await say('read', { file_path: 'long.ts', offset: 2_500 })).toMatch(/^2500\tline 2500\n/);
    expect(calls).toBe(0);
  });

  test('without a useful outline the first lines are returned', async () => {
    const cwd = folderWith({ 'long.ts': long });
    const fails = async () => {
      throw new Error('no grammar');
    };
    const answers = [undefined, [], [{ from: 0, to: 9_999 }]].map((ranges) => async () => ranges);
    for (const outline of [...answers, fails]) {
      const { say } = toolsIn({ cwd, outline });
      expect(await say('read', { file_path: 'long.ts' })).toMatch(/^1\tline 1\n2\tline 2\n/);
    }
  });
});
