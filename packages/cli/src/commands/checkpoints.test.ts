import { expect, test } from 'vitest';
import { withWork } from './work.fixture.ts';

const compacted = async () => {
  const made = await withWork();
  await made.call('compact', made.id, '--window', '12000');
  return made;
};

test('checkpoints answers with exactly these members', async () => {
  const { json, id } = await compacted();
  const { code, value } = await json('checkpoints', id);
  expect(code).toBe(0);
  const handle = expect.stringMatching(/^@\d+$/);
  const facts = {
    number: 1,
    handle,
    title: expect.stringMatching(/^(Go on with seed \d+|Make the importer fast)$/),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    trigger: 'manual',
    strategy: 'extractive',
    tokensBefore: expect.any(Number),
    tokensAfter: expect.any(Number),
    handles: { from: '@2', to: handle },
  };
  expect(value).toEqual({ session: id, checkpoints: [facts] });
  const { value: one } = await json('checkpoints', id, '1');
  expect(one).toEqual({
    session: id,
    checkpoint: { ...value.checkpoints[0], summary: expect.stringContaining('## Overview') },
  });
});

test('checkpoints lists them for a person, and shows one', async () => {
  const { call, id } = await compacted();
  const { stdout } = await call('checkpoints', id);
  expect(stdout).toMatch(/^1 {2}\S.*\S {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}[\d,]+ → [\d,]+ {2}@2 to @\d+\n$/);
  const one = await call('checkpoints', id, '1');
  expect(one.stdout).toMatch(/^1\. \S.*\n\d{4}-.* tokens, @2 to @\d+\n\n## Overview\n/);
  await call('undo', id);
  expect((await call('checkpoints', id)).stdout).toBe('No compaction is in force.\n');
});

test('checkpoints that are not there are an error that says how many there are', async () => {
  const { json, id } = await compacted();
  const { code, value } = await json('checkpoints', id, '2');
  expect(code).toBe(2);
  expect(value.error).toMatchObject({ code: 'checkpoint-missing', message: expect.stringContaining('it has one') });
  expect((await json('checkpoints', id, 'x')).value.error).toMatchObject({ code: 'bad-usage' });
});

test('checkpoints --write keeps files in line, and leaves those of others alone', async () => {
  const { json, call, id, io } = await compacted();
  const { value } = await json('checkpoints', id, '--write', 'mine');
  expect(value.files).toMatchObject({ path: '/project/mine/checkpoints', count: 1, failures: [], cleanup: [] });
  const [name] = value.files.written;
  expect(name).toMatch(/^001-[\w-]+\.md$/);
  expect(io.content.has(`/project/mine/checkpoints/${name}`)).toBe(true);
  io.content.set('/project/mine/checkpoints/002-other.md', new Uint8Array());
  await call('undo', id);
  const { code, stdout } = await call('checkpoints', id, '--write', 'mine');
  expect([code, stdout.endsWith('0 checkpoints in /project/mine/checkpoints\n')]).toEqual([0, true]);
  const left = [...io.content.keys()].filter((path) => path.startsWith('/project/mine/'));
  expect(left.map((path) => path.split('/').at(-1)).sort()).toEqual(['002-other.md', 'index.md']);
});

test('checkpoints --write says what it could not write', async () => {
  const { call, id, io } = await compacted();
  io.content.set('/project/mine/checkpoints/index.md', new TextEncoder().encode('# mine\n'));
  const { code, stdout } = await call('checkpoints', id, '--write', 'mine');
  expect(code).toBe(2);
  expect(stdout).toContain('not written: index.md (a file that is not ours has this name)');
});
