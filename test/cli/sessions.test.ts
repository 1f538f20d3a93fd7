import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, makePipe } from './longhaul.ts';
import { world } from './world.ts';

const time = '2026-01-02T03:04:05.000Z';
const header = { type: 'session', version: 3, id: 'outside-in', timestamp: time, cwd: '/repo' };
const said = ({ id, after, text }: { id: string; after: string | null; text: string }) => ({
  type: 'message',
  id,
  parentId: after,
  timestamp: time,
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
});
const jsonl = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const talk = (length: number) =>
  jsonl([
    header,
    ...Array.from({ length }, (_, index) =>
      said({ id: String(index), after: index === 0 ? null : String(index - 1), text: `message ${index} about arm64` }),
    ),
  ]);

test.skipIf(process.platform === 'win32')(
  'nothing that is derived from a session is written through a link, or in place of a pipe',
  async () => {
    const { cwd, call, json, file } = world();
    file('pi.jsonl', talk(2));
    await call('import', 'pi.jsonl');
    makePipe({ path: join(cwd, 'pipe') });
    const { code, value } = await json('export', 'last', '--format', 'pi', '--output', 'pipe', '--force');
    expect({ code, error: value.error.code }).toEqual({ code: 2, error: 'output-not-a-file' });
    expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
    file('old.jsonl', 'old');
    symlinkSync('old.jsonl', join(cwd, 'link.jsonl'));
    const linked = await json('export', 'last', '--output', 'link.jsonl', '--force');
    expect({ code: linked.code, error: linked.value.error.code }).toEqual({ code: 2, error: 'output-is-link' });
    expect(readFileSync(join(cwd, 'old.jsonl'), 'utf8')).toBe('old');
  },
);

test.skipIf(process.platform === 'win32')('checkpoints are not written through a link', async () => {
  const { cwd, call, file } = world();
  file('pi.jsonl', talk(2));
  await call('import', 'pi.jsonl');
  mkdirSync(join(cwd, 'elsewhere'));
  symlinkSync('elsewhere', join(cwd, '.longhaul'));
  const { code, stdout } = await call('checkpoints', 'last', '--write', '.longhaul');
  expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('is a link') });
  expect(readdirSync(join(cwd, 'elsewhere'))).toEqual([]);
});

test('a session comes in, is found, read, branched, taken back and deleted', async () => {
  const { cwd, json, file } = world();
  file('pi.jsonl', talk(5));
  const { value: imported } = await json('import', 'pi.jsonl');
  expect(imported).toMatchObject({ format: 'pi', entries: 5, messages: 5, warnings: [] });
  const id = imported.sessionId;
  expect((await json('search', '--session', 'last', 'message', '3')).value.results[0]).toMatchObject({ session: id });
  expect((await json('recall', id, '@3')).value.text).toBe('message 2 about arm64');
  expect((await json('rewind', id, '@2')).value.abandoned).toEqual(['@3', '@4', '@5']);
  expect((await json('context', id, '--provider', 'openai-chat')).value.messages).toHaveLength(2);
  expect((await json('undo', id)).value.messages).toBe(5);
  const { value: forked } = await json('fork', id, '--name', 'copy');
  expect((await json('sessions')).value.sessions).toHaveLength(2);
  expect(await json('doctor')).toMatchObject({ code: 0, value: { sound: true } });
  expect((await json('delete', id, forked.sessionId, '--yes')).value.deleted).toHaveLength(2);
  expect((await json('sessions')).value).toEqual({ sessions: [] });
  const left = readdirSync(join(cwd, 'store'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(cwd, 'store', name))
    .filter((path) => existsSync(path) && !path.endsWith('store'));
  const bytes = left.flatMap((path) => (statIsFile(path) ? [readFileSync(path).toString('latin1')] : []));
  expect(bytes.some((text) => text.includes('about arm64'))).toBe(false);
});

describe('an import that is stopped half-way', () => {
  test.each([
    ['SIGKILL', 500],
    ['SIGINT', 900],
  ] as const)('by %s after %d ms leaves a sound store, and run again is whole', async (signal, delay) => {
    const { cwd, json, file } = world();
    file('long.jsonl', talk(6000));
    const [program, ...first] = command;
    const child = spawn(program, [...first, 'import', 'long.jsonl', '--store', 'store'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: join(cwd, 'no-home') },
      stdio: 'ignore',
    });
    setTimeout(() => child.kill(signal), delay);
    await new Promise((resolve) => child.on('close', resolve));
    expect(await json('doctor')).toMatchObject({ code: 0, value: { sound: true } });
    const { value } = await json('import', 'long.jsonl');
    expect(value).toMatchObject({ entries: 6000, messages: 6000 });
    expect((await json('sessions')).value.sessions).toHaveLength(1);
    expect((await json('recall', 'last', '@6000')).value.text).toBe('message 5999 about arm64');
  });
});

test('two imports of one file at the same time make one session', async () => {
  const { json, file } = world();
  file('pi.jsonl', talk(3000));
  const both = await Promise.all([json('import', 'pi.jsonl'), json('import', 'pi.jsonl')]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(new Set(both.map(({ value }) => value.sessionId)).size).toBe(1);
  expect((await json('stats', 'last')).value.entries).toBe(3000);
});

test('a damaged session is reported with exit code 1, and repaired next to its original', async () => {
  const { cwd, json, file, call } = world();
  file('pi.jsonl', talk(2000));
  const { value } = await json('import', 'pi.jsonl');
  const [log] = readdirSync(join(cwd, 'store'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.includes(value.sessionId) && statIsFile(join(cwd, 'store', name)),
  );
  const path = join(cwd, 'store', log ?? '');
  const bytes = readFileSync(path);
  bytes.fill(0x55, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8192);
  writeFileSync(path, bytes);
  const found = await call('doctor');
  expect(found.code).toBe(1);
  expect(found.stdout).toContain('damaged');
  const fixed = await json('doctor', '--fix');
  expect(JSON.stringify(fixed.value)).toContain('setAside');
  expect((await json('doctor')).value.sound).toBe(true);
  expect((await json('stats', value.sessionId)).value.entries).toBeGreaterThan(500);
});

test('export to pi and to our own lines comes back as it was', async () => {
  const { json, call, file, cwd } = world();
  file('pi.jsonl', talk(50));
  const { value } = await json('import', 'pi.jsonl');
  const { stdout } = await call('export', value.sessionId, '--format', 'pi');
  expect(stdout.split('\n')[0]).toBe(JSON.stringify(header));
  await call('export', 'last', '--output', 'own.jsonl');
  await call('delete', value.sessionId, '--yes');
  expect((await json('import', 'own.jsonl')).value).toMatchObject({ sessionId: value.sessionId, entries: 50 });
  expect(existsSync(join(cwd, 'own.jsonl'))).toBe(true);
});

test('a store that cannot be a folder is reported in two lines', async () => {
  const { call, file } = world();
  file('store', 'a file is in the way');
  const { code, stdout, stderr } = await call('sessions');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^longhaul: [^\n]+\n {2}[^\n]+\n$/);
});

function statIsFile(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
