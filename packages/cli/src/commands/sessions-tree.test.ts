import { describe, expect, test } from 'vitest';
import type { MemoryWorld } from '../io/memory-io.ts';
import { withSession, world } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

describe('search and recall', () => {
  test('answer with exactly this', async () => {
    const { json, id } = await withSession();
    const { value } = await json('search', '--session', id, '--', 'files');
    expect(value.results[0]).toEqual({
      handle: '@1.1',
      session: id,
      snippet: expect.stringContaining('files'),
      score: expect.any(Number),
    });
    expect((await json('recall', id, '@3')).value).toEqual({
      handle: '@3',
      text: 'a.txt\nb.txt\n\u001b[2J',
      page: 1,
      pages: 1,
    });
    expect((await json('recall', id, '@3.1:2-2')).value.text).toBe('b.txt');
  });

  test('a pipe gets the very bytes, a terminal what is safe', async () => {
    const pipe = await withSession();
    expect((await pipe.call('recall', 'last', '@3')).stdout).toBe('a.txt\nb.txt\n\u001b[2J');
    const terminal = await withSession({ terminal: true });
    expect((await terminal.call('recall', 'last', '@3')).stdout).toBe('a.txt\nb.txt\n\\u001b[2J\n');
  });

  test('words after -- may look like flags, and nothing to find is no failure', async () => {
    const { json, call } = await withSession();
    expect((await json('search', '--limit', '3', 'zebra')).value).toEqual({ results: [] });
    expect(await call('search', '--', '--json')).toMatchObject({ code: 0, stdout: 'No results.\n' });
    expect((await json('search', ' ')).value.error.code).toBe('bad-usage');
  });

  test.each([
    ['@99', 'entry-missing'],
    ['@1.9', 'bad-handle'],
    ['@3:9-9', 'bad-handle'],
    ['x', 'bad-handle'],
  ])('recall of %s is an error', async (handle, errorCode) => {
    const { json } = await withSession();
    const { code, value } = await json('recall', 'last', handle);
    expect({ code, error: value.error.code }).toEqual({ code: 2, error: errorCode });
  });
});

describe('moves', () => {
  test('move, rewind, undo and redo print the current position', async () => {
    const { json, id } = await withSession();
    expect((await json('move', id, '@4')).value).toEqual({ session: id, leaf: '@4', abandoned: ['@6'] });
    expect((await json('undo', id)).value).toMatchObject({
      session: id,
      action: { handle: '@7', type: 'leaf', reason: 'move' },
      leaf: '@6',
      messages: 4,
    });
    expect((await json('redo', id)).value).toMatchObject({ leaf: '@4' });
    expect((await json('rewind', id, '@1')).value).toEqual({ session: id, leaf: '@1', abandoned: ['@2', '@3', '@4'] });
    expect((await json('move', id, 'root')).value).toMatchObject({ leaf: null });
  });

  test('a summary of the abandoned branch is sent at the new position', async () => {
    const { json, id } = await withSession();
    const { value } = await json('move', id, '@3', '--summary', 'Counting did not help.');
    expect(value.leaf).toBe('@8');
    expect(JSON.stringify((await json('context', id)).value.messages)).toContain('Counting did not help.');
  });

  test('nothing to undo is an answer: exit code 1', async () => {
    const { call } = world({ files: { '/project/chat.json': '[{"role":"user","content":"hi"}]' } });
    await call('import', 'chat.json');
    expect((await call('undo', 'last')).code).toBe(1);
    expect((await call('redo', 'last')).code).toBe(1);
  });

  test('a rewind to another branch is refused', async () => {
    const { json, id } = await withSession();
    expect((await json('rewind', id, '@4')).value.error.code).toBe('not-on-path');
  });
});

describe('fork and label', () => {
  test('a fork has everything, a path only what leads to it; handles stay', async () => {
    const { json, id } = await withSession();
    const { value: whole } = await json('fork', id, '--at', '@2', '--name', 'again');
    expect(whole).toEqual({ sessionId: expect.any(String), parent: id, entries: expect.any(Number) });
    expect((await json('recall', 'again', '@3.1:1-1')).value.text).toBe('a.txt');
    expect((await json('tree', 'again')).value.leaf).toBe('@2');
    const { value: path } = await json('fork', id, '--path');
    expect((await json('tree', path.sessionId)).value.nodes).toHaveLength(4);
    expect((await json('fork', id, '--path', '--at', '@2')).value.error.code).toBe('bad-usage');
  });

  test('a label is given and taken off', async () => {
    const { json, id } = await withSession();
    expect((await json('label', id, '@1', 'start')).value).toEqual({ session: id, handle: '@1', label: 'start' });
    expect((await json('label', id, '1', '--remove')).value).toEqual({ session: id, handle: '@1', label: null });
    expect((await json('label', id, '@1')).value.error.code).toBe('bad-usage');
  });
});

describe('delete', () => {
  test('asks, and takes only yes for yes', async () => {
    for (const [answer, code, left] of [
      ['n', 1, 1],
      ['', 1, 1],
      ['y', 0, 0],
      ['Yes', 0, 0],
    ] as const) {
      const { call, json, id } = await withSession({ answer });
      expect((await call('delete', id)).code).toBe(code);
      expect((await json('sessions')).value.sessions).toHaveLength(left);
    }
  });

  test('without a person, or for a program, needs --yes', async () => {
    const { json, id } = await withSession();
    expect(await json('delete', id)).toMatchObject({ code: 1, value: { error: { code: 'not-confirmed' } } });
    expect((await json('delete', id, '--yes')).value).toEqual({ deleted: [id] });
  });

  test('a slip in one name deletes nothing', async () => {
    const { json, id } = await withSession();
    expect((await json('delete', id, 'nonsense', '--yes')).value.error.code).toBe('session-missing');
    expect((await json('delete', 'last', '--yes')).value.error.code).toBe('bad-usage');
    expect((await json('sessions')).value.sessions).toHaveLength(1);
  });
});

test('doctor is 0 for an empty store, and answers with its report', async () => {
  const { json, call } = world();
  expect(await json('doctor')).toEqual({ code: 0, value: { sound: true, sessions: [], problems: [], leftovers: [] } });
  expect((await call('doctor')).stdout).toBe('/home/me/.local/share/longhaul: intact (0 sessions examined)\n');
});

describe('the store', () => {
  const where = async (given: MemoryWorld, ...argv: string[]) => {
    const { io, call } = world(given);
    await call('doctor', ...argv);
    return [...io.stores.keys()];
  };

  test('is where the flag, a variable, a file or the customs of the system say', async () => {
    expect(await where({})).toEqual(['/home/me/.local/share/longhaul']);
    expect(await where({ env: { XDG_DATA_HOME: '/data' } })).toEqual(['/data/longhaul']);
    expect(await where({ env: { XDG_DATA_HOME: 'relative' } })).toEqual(['/home/me/.local/share/longhaul']);
    expect(await where({ env: { LONGHAUL_STORE_DIR: '~/logs' } })).toEqual(['/home/me/logs']);
    expect(await where({}, '--store', 'here')).toEqual(['/project/here']);
  });

  test('named in a settings file of the user is meant from that file; one of a project is not used', async () => {
    const text = '{ "store": { "dir": "logs" } }';
    const user = '/home/me/.config/longhaul/config.json';
    expect(await where({ files: { [user]: text }, cwd: '/project' })).toEqual(['/home/me/.config/longhaul/logs']);
    const [ours] = await where({ files: { '/project/longhaul.config.json': text }, cwd: '/project' });
    expect(ours).not.toContain('/project');
  });
});

describe('rewind and context name the entries that tree shows', () => {
  test('a compaction has one handle everywhere, and rewinding to it moves after it', async () => {
    const { json, call, id } = await withWork();
    await call('compact', id, '--window', '12000');
    const tree = (await call('tree', id)).stdout;
    const [, compaction = ''] = /(@\d+) compaction .*← here/.exec(tree) ?? [];
    expect(tree).not.toContain('because of compaction');
    expect((await call('context', id)).stdout).toContain(`since the compaction at ${compaction}\n`);
    const { value: sent } = await json('context', id);
    expect(sent.epoch.entry).toBe(compaction);
    expect((await call('undo', id)).stdout).toContain(`compaction at ${compaction} undone`);
    expect((await call('rewind', id, compaction)).stdout).toContain(`is now at ${compaction}`);
    expect((await json('context', id)).value.messages).toEqual(sent.messages);
    expect((await call('tree', id)).stdout).toMatch(new RegExp(`${compaction} compaction .*← here`));
    const nodes = (await json('tree', id)).value;
    expect(nodes.nodes.map(({ handle }: { handle: string }) => handle)).toContain(nodes.leaf);
    expect((await call('undo', id)).stdout).toContain(`rewind to ${compaction} undone`);
  });

  test('an entry that cannot be moved to is named by its handle', async () => {
    const { json, id } = await withSession();
    await json('move', id, '@4');
    for (const [handle, code] of [
      ['@7', 'not-a-node'],
      ['@6', 'not-on-path'],
    ] as const) {
      const { value } = await json('rewind', id, handle);
      expect(value.error).toMatchObject({ code, message: expect.stringContaining(`Entry ${handle} `) });
    }
  });
});
