import { expect, test } from 'vitest';
import { world } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

test('frontier answers with exactly these members', async () => {
  const { json, id } = await withWork();
  const { code, value } = await json('frontier', id);
  expect(code).toBe(0);
  const handle = expect.stringMatching(/^@\d+$/);
  expect(value).toEqual({
    session: id,
    root: null,
    tasks: [{ list: 'todo', id: null, text: 'Measure the importer', status: 'done', handle }],
    plan: null,
    commands: expect.any(Array),
    tests: [
      {
        command: 'npx vitest run',
        runner: 'vitest',
        result: 'passed',
        passed: 12,
        failed: null,
        skipped: null,
        handle,
      },
    ],
    files: [
      {
        path: 'src/import.ts',
        read: '@6',
        changed: handle,
        deleted: false,
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ],
    processes: [],
    forgotten: { tasks: 0, files: 0 },
  });
  expect(value.commands).toContainEqual({ command: './bench --seed 23', state: 'unknown', exit: null, handle });
});

test('frontier tells a person in sections, the newest first, with handles', async () => {
  const { call, id } = await withWork();
  const { stdout } = await call('frontier', id);
  expect(stdout).toMatch(
    /^Done\n {2}Measure the importer \(@\d+\)\n\nTests and checks, as last seen\n {2}passed: 12 passed — /,
  );
  expect(stdout).toContain('\nFiles changed\n  src/import.ts (@');
});

test('frontier of a conversation without tools says so', async () => {
  const { call } = world({ files: { '/project/chat.json': '[{"role":"user","content":"hi"}]' } });
  await call('import', 'chat.json');
  expect(await call('frontier', 'last')).toMatchObject({
    code: 0,
    stdout: 'Nothing is known yet: no tool was called.\n',
  });
});
