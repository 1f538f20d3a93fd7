import { user } from 'longhaul/message';
import { openSession } from 'longhaul/session';
import { expect, test } from 'vitest';
import { withSession } from './sessions.fixture.ts';

const message = (text: string) => ({ type: 'message', message: user(text) }) as const;

/** Says something in the session, as another process would while the command runs. */
const speaking = (text: string) => async (io: Awaited<ReturnType<typeof withSession>>['io']) => {
  const [store] = [...io.stores.values()];
  const [header] = store ? await store.list() : [];
  if (store && header) await (await openSession({ store, id: header.header.id })).append(message(text));
};

test('transcript writes what happened, an event a line', async () => {
  const { call, id } = await withSession();
  const { code, stdout } = await call('transcript', id);
  expect(code).toBe(0);
  const types = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types).toContain('tool.execution_complete');
  // The branch that was left is there, too, and where the session went.
  expect(stdout).toContain('There are two.');
  expect(types).toContain('session.snapshot_rewind');
});

test('transcript --json answers with one value', async () => {
  const { json, id } = await withSession();
  const { value } = await json('transcript', id);
  expect(value).toEqual({ session: id, lines: expect.any(Array) });
  expect(value.lines[0]).toMatchObject({ type: 'session.start', parentId: null });
  const file = await json('transcript', id, '-o', 'a.jsonl');
  expect(file.value).toEqual({ session: id, output: '/project/a.jsonl', lines: value.lines.length });
});

test('transcript goes on with a file, and does not touch one that is not its own', async () => {
  const { call, json, id, io } = await withSession();
  await call('transcript', id, '-o', 'a.jsonl');
  const all = io.content.get('/project/a.jsonl') ?? new Uint8Array();
  io.content.set('/project/a.jsonl', all.subarray(0, all.length - 10));
  expect((await call('transcript', id, '-o', 'a.jsonl')).stdout).toMatch(/^\d+ lines in \/project\/a\.jsonl\n$/);
  expect(io.content.get('/project/a.jsonl')).toEqual(all);
  const { code, value } = await json('transcript', id, '-o', 'pi.jsonl');
  expect(code).toBe(2);
  expect(value.error.code).toBe('transcript-foreign');
});

test('transcript --follow writes what another process says, until Ctrl-C', async () => {
  const { call, id, io } = await withSession({ meanwhile: [(it) => void speaking('and now?')(it), () => undefined] });
  const { code, stdout } = await call('transcript', id, '-o', 'a.jsonl', '--follow');
  expect(code).toBe(0);
  expect(Buffer.from(io.content.get('/project/a.jsonl') ?? []).toString()).toContain('and now?');
  expect(stdout).toMatch(/^\d+ lines in /);
});
