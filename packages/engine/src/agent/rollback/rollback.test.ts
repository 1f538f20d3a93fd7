import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { all, begin } from '../fixtures/agent.ts';
import { folderWith, toolsIn } from '../tools/tools.fixture.ts';
import { createFileHistory } from './file-history.ts';
import { openFileVersions } from './file-versions.ts';
import { findFileRewind, rewindFiles, undoFileRewind } from './rewind-files.ts';
import { person, rollbackIn, treeOf } from './rollback.fixture.ts';

async function start(files: Readonly<Record<string, string | Buffer>> = {}, limits = {}) {
  const cwd = folderWith(files);
  const work = await rollbackIn({ cwd, versions: folderWith(), ...limits });
  const { session, versions } = work;
  return {
    ...work,
    cwd,
    rewind: (of: { readonly to?: number; readonly isDryRun?: boolean } = {}) =>
      rewindFiles({ session, versions, to: 0, ...of }),
    undo: () => undoFileRewind({ session, versions }),
    path: (name: string) => join(cwd, name),
  };
}

describe('what the agent did is taken back', () => {
  test.each([
    ['a replaced file', { 'a.txt': 'old' }, 'echo new > a.txt'],
    ['an appended file', { 'a.txt': 'old\n' }, 'echo more >> a.txt'],
    ['a file edited in place', { 'a.txt': 'one\ntwo\n' }, "sed -i 's/one/1/' a.txt"],
    ['a deleted file', { 'a.txt': 'old' }, 'rm a.txt'],
    ['a deleted folder', { 'd/a.txt': 'a', 'd/e/b.txt': 'b' }, 'rm -r d'],
    ['a renamed file', { 'a.txt': 'old', 'b.txt': 'other' }, 'mv a.txt b.txt'],
    ['a moved folder', { 'd/a.txt': 'a', 'd/e/b.txt': 'b', 'to/c.txt': 'c' }, 'mv d to'],
    ['a copied folder', { 'd/a.txt': 'a' }, 'cp -r d e'],
    ['a copy into a folder that has some of the files', { 'd/a.txt': 'a', 'e/d/a.txt': 'x' }, 'cp -r d e'],
    ['created folders', {}, 'mkdir -p x/y/z && touch x/y/z/f'],
    ['permission bits', { 'run.sh': 'true' }, 'chmod 755 run.sh'],
    ['a link', { 'a.txt': 'a' }, 'ln -s a.txt b.txt'],
    ['work in another folder', { 'd/a.txt': 'a' }, 'cd d && echo b > a.txt && cd .. && rm -r d'],
    ['a binary file', { 'a.bin': Buffer.from([0, 255, 254, 10, 0]) }, 'truncate -s 2 a.bin'],
  ])('%s', async (_, files, command) => {
    const { bash, rewind, undo, cwd } = await start(files);
    const before = treeOf(cwd);
    await bash(command);
    const after = treeOf(cwd);
    expect(after).not.toEqual(before);
    const planned = await rewind({ isDryRun: true });
    expect(treeOf(cwd)).toEqual(after);
    const { entry: _entry, ...done } = await rewind();
    expect(done).toEqual(planned);
    expect(done.skipped).toEqual([]);
    expect(treeOf(cwd)).toEqual(before);
    expect((await undo()).skipped).toEqual([]);
    expect(treeOf(cwd)).toEqual(after);
  });

  test('a file behind a link is restored, and the link stays', async () => {
    const { bash, rewind, cwd, path } = await start({ 'real.txt': 'old' });
    symlinkSync('real.txt', path('link.txt'));
    const before = treeOf(cwd);
    await bash('echo new > link.txt');
    await rewind();
    expect(treeOf(cwd)).toEqual(before);
  });

  test('only changes after the entry are taken back, and files outside the workspace too', async () => {
    const outside = folderWith({ 'o.txt': 'old' });
    const { bash, write, rewind, here, path } = await start({ 'a.txt': '0' });
    await write('a.txt', '1');
    const first = here();
    await write('a.txt', '2');
    await bash(`echo new > ${outside}/o.txt`);
    expect((await rewind({ to: first })).restored.map(({ path }) => path)).toEqual(
      [join(outside, 'o.txt'), path('a.txt')].sort(),
    );
    expect([readFileSync(path('a.txt'), 'utf8'), readFileSync(join(outside, 'o.txt'), 'utf8')]).toEqual(['1', 'old']);
    await rewind();
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('0');
  });

  test('a rewind, an undo and more work are themselves part of the history', async () => {
    const { write, rewind, undo, here, path } = await start({ 'a.txt': '0' });
    await write('a.txt', '1');
    await rewind();
    const back = here();
    await write('a.txt', '2');
    expect((await undo()).skipped).toEqual([{ path: path('a.txt'), why: expect.stringMatching(/changed by/) }]);
    await rewind({ to: back });
    await undo();
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('2');
    await rewind();
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('0');
  });
});

describe('what others did is left alone and named', () => {
  test.each<readonly [string, (path: (name: string) => string) => void]>([
    ['changed', (path) => person(path('a.txt'), 'mine')],
    ['deleted', (path) => person(path('a.txt'), null)],
    ['made executable', (path) => person(path('a.txt'), { mode: 0o755 })],
    [
      'replaced by a link',
      (path) => {
        person(path('a.txt'), null);
        symlinkSync('b.txt', path('a.txt'));
      },
    ],
    [
      'replaced by a folder',
      (path) => {
        person(path('a.txt'), null);
        mkdirSync(path('a.txt'));
      },
    ],
  ])('%s', async (_, change) => {
    const { write, rewind, cwd, path } = await start({ 'a.txt': 'old', 'b.txt': 'old' });
    await write('a.txt', 'new');
    await write('b.txt', 'new');
    change(path);
    const { restored, skipped } = await rewind();
    expect(restored).toEqual([{ path: path('b.txt'), action: 'restored' }]);
    expect(skipped).toEqual([{ path: path('a.txt'), why: expect.stringMatching(/^it was (?:also changed|deleted)/) }]);
    expect(treeOf(cwd)).not.toMatchObject({ 'a.txt': '644 old' });
  });

  test('a change between two of the agent is not lost either', async () => {
    const { write, rewind, path } = await start({ 'a.txt': 'old' });
    await write('a.txt', '1');
    person(path('a.txt'), 'mine');
    await write('a.txt', 'mine and 2');
    expect((await rewind()).skipped).toHaveLength(1);
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('mine and 2');
  });

  test('a folder of the agent stays if others put files into it', async () => {
    const { bash, rewind, cwd, path } = await start();
    await bash('mkdir d && echo 1 > d/a.txt');
    writeFileSync(path('d/mine.txt'), 'mine');
    const { skipped } = await rewind();
    expect(skipped).toEqual([{ path: path('d'), why: 'it has other files in it, such as mine.txt' }]);
    expect(Object.keys(treeOf(cwd))).toEqual(['d', 'd/mine.txt']);
  });

  test('a folder that became a link is not followed', async () => {
    const { bash, rewind, path } = await start({ 'd/a.txt': 'old' });
    await bash('rm -r d');
    const elsewhere = folderWith({});
    symlinkSync(elsewhere, path('d'));
    await rewind();
    expect(treeOf(elsewhere)).toEqual({});
  });
});

describe('what is not kept is said', () => {
  test('a file that is too large', async () => {
    const { write, rewind, path } = await start({ 'a.bin': 'x'.repeat(2000) }, { fileBytes: 1000 });
    expect(await write('a.bin', 'new')).toMatch(/cannot restore .*a\.bin as it is now: it is larger than/);
    expect((await rewind()).skipped).toEqual([
      { path: path('a.bin'), why: expect.stringMatching(/not kept: it is larger/) },
    ]);
    expect(readFileSync(path('a.bin'), 'utf8')).toBe('new');
  });

  test('a folder with too many files', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d/${at}`, '']));
    const { bash, rewind, path } = await start(files, { callFiles: 10 });
    expect(await bash('rm -r d')).toMatch(/more than \d+ files/);
    expect((await rewind()).skipped.map(({ path }) => path)).toEqual([path('d')]);
  });

  test('a file with secrets', async () => {
    const { write, rewind, path, versions } = await start({ '.env': 'KEY=secret' });
    expect(await write('.env', 'KEY=other')).toMatch(/may contain secrets/);
    expect((await rewind()).restored).toEqual([]);
    expect(readFileSync(path('.env'), 'utf8')).toBe('KEY=other');
    expect(await versions.read('0'.repeat(64))).toBeUndefined();
  });

  test('commands that change files they do not name are counted', async () => {
    const { call, rewind, cwd } = await start();
    for (const command of ['npm run build', 'make $X', 'cat a.txt', 'git status'])
      await call({ kind: 'execute', command, cwd }, () => undefined);
    expect((await rewind()).untrackedCommands).toBe(2);
  });
});

test('nothing to undo is one clear sentence', async () => {
  const { session, undo } = await start();
  await expect(undo()).rejects.toThrow('No rewind of files');
  expect(await findFileRewind(session)).toBeUndefined();
});

test('a rewind that was killed can be repeated and undone', async () => {
  const { write, session, rewind, undo, path, versions } = await start({ 'a.txt': 'a', 'b.txt': 'b' });
  await write('a.txt', 'a2');
  await write('b.txt', 'b2');
  // The process ends after the first file: the second note is missing.
  const dying = {
    ...session,
    read: session.read.bind(session),
    append: async (draft: never) => {
      const { type } = draft as { type: string };
      if (type === 'file_change') throw new Error('killed');
      return await session.append(draft);
    },
  } as unknown as typeof session;
  await expect(rewindFiles({ session: dying, versions, to: 0 })).rejects.toThrow('killed');
  person(path('b.txt'), 'b2');
  await rewind();
  expect([readFileSync(path('a.txt'), 'utf8'), readFileSync(path('b.txt'), 'utf8')]).toEqual(['a', 'b']);
  await undo();
  expect(readFileSync(path('b.txt'), 'utf8')).toBe('b2');
});

test('the tools of an agent keep files before they change them, and a disk that refuses does not stop them', async () => {
  const cwd = folderWith({ 'a.txt': 'one\n', 'b.txt': 'b' });
  const { tools } = toolsIn({ cwd });
  const calls = [
    { name: 'edit', arguments: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } },
    { name: 'write', arguments: { file_path: 'n/new.txt', content: 'new' } },
    { name: 'bash', arguments: { command: 'rm b.txt' } },
  ];
  const bench = await begin({ cwd, tools, script: [{ toolCalls: calls }, { text: 'Done.' }] });
  const { session } = bench.session;
  const versions = openFileVersions({ dir: folderWith() });
  const before = treeOf(cwd);
  const { agent } = await begin({
    cwd,
    tools,
    fileHistory: createFileHistory({ session, versions }),
    script: [{ toolCalls: calls }, { text: 'Done.' }],
  });
  const events = await all(agent.run({ prompt: 'Go.' }));
  expect(events.filter(({ type }) => type === 'tool_end')).toMatchObject([{}, {}, {}].map(() => ({ isError: false })));
  expect(treeOf(cwd)).not.toEqual(before);
  const { restored } = await rewindFiles({ session, versions, to: 0 });
  expect(restored.map(({ action }) => action)).toEqual(['restored', 'created again', 'deleted', 'deleted']);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  const refusing = createFileHistory({
    session,
    versions: { keep: async () => await Promise.reject(new Error('no space')), read: async () => undefined },
  });
  const other = await begin({ cwd, tools, fileHistory: refusing, script: [{ toolCalls: calls }, { text: 'Done.' }] });
  const said = await all(other.agent.run({ prompt: 'Go.' }));
  expect(said.filter(({ type }) => type === 'notice').map((event) => 'text' in event && event.text)).toContainEqual(
    expect.stringMatching(/cannot restore .*no space/),
  );
  // The agent must read what was rewound again before it edits it.
  expect(said).toContainEqual(
    expect.objectContaining({ tool: 'edit', isError: true, text: expect.stringMatching(/has changed/) }),
  );
  expect(treeOf(cwd)).toMatchObject({ 'a.txt': '644 one\n', 'n/new.txt': '644 new' });
});
