import { expect, test } from 'vitest';
import { base, header, jsonl, said, withSession } from './sessions.fixture.ts';

const configured = 'correct-horse-battery';
const files = {
  '/project/pi.jsonl': jsonl([
    header,
    base('01', null, said('user', `Deploy with DB_PASSWORD=hunter2222 and ${configured} please`)),
    base('02', '01', said('assistant', 'The deploy is done.')),
  ]),
};

test.each([
  ['sessions', ['--json']],
  ['search', ['deploy']],
  ['export', ['last', '--format', 'markdown']],
  ['export', ['last', '--format', 'pi']],
  ['transcript', ['last']],
])('%s %j shows no secret by its look and none of the environment', async (command, args) => {
  const { call } = await withSession({ files, env: { MY_API_KEY: configured } });
  const { code, stdout } = await call(command, ...args);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\[secret:[0-9a-f]{6}\]/);
  expect(stdout).not.toMatch(/hunter2222|correct-horse/);
});

test('recall and the log keep what was said', async () => {
  const { call } = await withSession({ files });
  expect((await call('recall', 'last', '@1')).stdout).toContain('DB_PASSWORD=hunter2222');
});
