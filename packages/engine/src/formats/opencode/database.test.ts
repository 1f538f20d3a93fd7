import { copyFileSync, createReadStream, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LonghaulError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { temporaryFolder } from '../../session/store/sqlite/fixtures.ts';
import type { Store } from '../../session/store/store.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  answered,
  asked,
  clock,
  exported,
  type StoredMessage,
  said,
  talk,
  text,
  tool,
} from '../fixtures/opencode-session.ts';
import { importSession } from '../import/import.ts';
import { openSnapshot } from './database.ts';

const schema = `
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL,
    directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
`;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let db: DatabaseSync;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.dir, 'opencode.db');
  db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; ${schema}`);
});

afterEach(() => {
  if (db.isOpen) db.close();
  folder.remove();
});

/** Puts a session into the database; ids of messages are made its own. */
function put(id: string, messages: readonly StoredMessage[], more: Record<string, string | number> = {}): void {
  const facts = {
    project_id: 'p1',
    slug: 'misty-eagle',
    directory: '/repo',
    title: 'Reading files',
    version: '1.14.30',
  };
  insert('session', { id, ...facts, time_created: clock(0), time_updated: clock(60), ...more });
  for (const message of messages) say(id, message);
}

function say(session: string, { info, parts }: StoredMessage): void {
  const { id, ...data } = info;
  const own = session === 'ses_main' ? String(id) : `${session}_${String(id)}`;
  const created = Number(isObject(info.time) ? info.time.created : 0);
  const times = { time_created: created, time_updated: created };
  insert('message', { id: own, session_id: session, ...times, data: JSON.stringify(data) });
  for (const { id: part, messageID: _, ...rest } of parts) {
    const row = { id: `${session}_${String(part)}`, message_id: own, session_id: session };
    insert('part', { ...row, ...times, data: JSON.stringify(rest) });
  }
}

function insert(table: string, row: Readonly<Record<string, string | number>>): void {
  const places = Object.keys(row).map(() => '?');
  db.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`).run(...Object.values(row));
}

const load = async (store: Store = createMemoryStore()) => {
  const imported = await importSession({ store, open: () => createReadStream(path), path });
  const named = await Promise.all(
    imported.sessions.map(async (id) => {
      const [header, entries] = [await store.header(id), await store.read({ session: id, query: { after: 0 } })];
      return { id, key: header?.source?.key, header, entries };
    }),
  );
  return { ...imported, store, named, codes: imported.warnings.map(({ code }) => code) };
};

/** Everything that can be seen of the folder from outside. */
const look = () =>
  readdirSync(folder.dir).map((name) => {
    const { size, mtimeMs } = statSync(join(folder.dir, name));
    return [name, size, name.endsWith('-shm') ? 0 : mtimeMs];
  });

describe('the sessions of a database', () => {
  test('are what an export of them is', async () => {
    put('ses_main', talk);
    const { store, session } = await load();
    const again = await bringIn({ text: exported(talk), store });
    expect(again.session).toBe(session);
    expect(again.sent).toEqual(said);
    expect(again.codes).toEqual(['left-out']);
    // The parts have other ids in the database, which nothing depends on.
    expect(again.added).toBe(0);
  });

  test('are all imported, the most recent first; one without messages is not', async () => {
    put('ses_old', talk, { time_updated: clock(10), title: 'Old' });
    put('ses_main', talk, { time_updated: clock(50) });
    put('ses_empty', [], { time_updated: clock(99), title: 'New session - 2026-04-13T18:40:00.000Z' });
    const { named, store } = await load();
    expect(named.map(({ key }) => key)).toEqual(['ses_main', 'ses_old']);
    expect((await store.list({ sort: 'name' })).map(({ name }) => name).sort()).toEqual(['Old', 'Reading files']);
  });

  test('of sub-agents belong to the call that started them, and are asked by its model', async () => {
    const task = { sessionId: 'ses_child' };
    const call = tool('call_task', 'found', { input: { prompt: 'Find it.' }, metadata: task });
    const again = tool('call_again', 'more', { input: { prompt: 'Find more.' }, metadata: task });
    put('ses_child', [asked('u1', text('Find it.')), asked('u2', text('Find more.')), asked('u3', text('Hurry!'))], {
      parent_id: 'ses_main',
      time_updated: clock(90),
    });
    put('ses_main', [asked('u1', text('Where is it?')), answered('a2', [call, again])]);
    const { named } = await load();
    expect(named.map(({ key }) => key)).toEqual(['ses_main', 'ses_child']);
    expect(named[1]?.header?.owner).toEqual({ session: named[0]?.id, call: 'call_task' });
    const origins = named[1]?.entries.flatMap((entry) =>
      entry.type === 'message' ? entry.message.parts.map(({ origin }) => origin) : [],
    );
    expect(origins).toEqual(['model', 'model', 'human']);
  });

  test('are found also where their parents are gone, or stand in a circle', async () => {
    put('ses_orphan', talk, { parent_id: 'ses_gone' });
    put('ses_hen', talk, { parent_id: 'ses_egg' });
    put('ses_egg', talk, { parent_id: 'ses_hen' });
    put('ses_self', talk, { parent_id: 'ses_self' });
    const { named } = await load();
    expect(named.map(({ key }) => key).sort()).toEqual(['ses_egg', 'ses_hen', 'ses_orphan', 'ses_self']);
  });

  test('grow, and go back', async () => {
    const store = createMemoryStore();
    put('ses_main', talk.slice(0, 1));
    const { session } = await load(store);
    for (const message of talk.slice(1)) say('ses_main', message);
    expect(await load(store)).toMatchObject({ session, added: 6, codes: ['left-out'] });
    db.prepare('UPDATE session SET revert = ?').run(JSON.stringify({ messageID: 'a3' }));
    expect((await load(store)).named[0]?.entries.at(-2)).toMatchObject({ type: 'leaf', reason: 'rewind' });
  });

  test('with rows that are no JSON lose those rows only, and it is said', async () => {
    put('ses_main', talk);
    db.exec(
      `UPDATE part SET data = '{"type":"text",' WHERE data LIKE '%Read.%'; UPDATE message SET data = '[]' WHERE id = 'u1'`,
    );
    const { named, warnings } = await load();
    expect(named[0]?.entries.filter(({ type }) => type === 'message')).toHaveLength(2);
    expect(warnings.filter(({ code }) => code === 'bad-row').map(({ message }) => message)).toEqual([
      'The row u1 is no JSON object; it was left out.',
      'The row ses_main_prt_a3_001 is no JSON object; it was left out.',
    ]);
  });

  test('that only a newer engine has are counted', async () => {
    put('ses_main', talk);
    put('ses_newer', []);
    db.exec('CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, data TEXT)');
    for (const session of ['ses_main', 'ses_newer'])
      insert('session_message', { id: session, session_id: session, data: '{}' });
    const { warnings } = await load();
    expect(warnings.find(({ code }) => code === 'newer-layout')?.message).toMatch(/^1 sessions are only in tables/);
  });
});

describe('nothing changes next to a database', () => {
  test('that opencode has open, with its newest messages in the write-ahead log', async () => {
    put('ses_main', talk);
    const before = look();
    expect(before.map(([name]) => name)).toEqual(['opencode.db', 'opencode.db-shm', 'opencode.db-wal']);
    expect((await load()).named[0]?.entries).toHaveLength(7);
    expect(look()).toEqual(before);
    // It was not in the writer's way either.
    say('ses_main', asked('u9', text('More.')));
  });

  test('that no process has open', async () => {
    put('ses_main', talk);
    db.close();
    const before = look();
    expect(before).toHaveLength(1);
    expect((await load()).named[0]?.entries).toHaveLength(7);
    expect(look()).toEqual(before);
  });

  test('that a crash has left behind with its log', async () => {
    put('ses_main', talk);
    const other = join(folder.dir, 'crashed.db');
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${other}${end}`);
    db.close();
    rmSync(path);
    path = other;
    const before = look();
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('longhaul-opencode-'));
    expect((await load()).named[0]?.entries).toHaveLength(7);
    expect(look()).toEqual(before);
    expect(copies()).toEqual([]);
  });

  test('that is written to meanwhile, though no process had it open: it is detected', () => {
    put('ses_main', talk);
    db.close();
    const source = openSnapshot(path);
    source.check();
    utimesSync(path, 1, 1);
    expect(source.check).toThrow('The database was written to while it was read.');
    source.close();
  });
});

describe('what is refused, in one sentence and with nothing stored', () => {
  const refusal = async () => {
    const store = createMemoryStore();
    const open = () => createReadStream(path);
    const error = await importSession({ store, open, path }).then(
      () => undefined,
      (thrown: LonghaulError) => thrown,
    );
    expect(await store.list()).toEqual([]);
    return { code: error?.code, message: error?.message };
  };

  test('a database of something else', async () => {
    db.exec('DROP TABLE part; DROP TABLE message; DROP TABLE session');
    expect(await refusal()).toEqual({
      code: 'not-a-session',
      message: 'This database is not laid out as those of opencode: no such table: session.',
    });
  });

  test('an older layout', async () => {
    put('ses_main', talk);
    db.exec('ALTER TABLE part DROP COLUMN data');
    expect(await refusal()).toMatchObject({
      code: 'not-a-session',
      message: expect.stringContaining('no such column: data'),
    });
  });

  test('no sessions', async () => {
    expect(await refusal()).toMatchObject({ code: 'no-sessions' });
  });

  test('a damaged file', async () => {
    db.close();
    writeFileSync(path, 'SQLite format 3\0 and then nothing of the kind');
    expect(await refusal()).toMatchObject({ code: 'cannot-read-database' });
  });

  test('bytes without a place', async () => {
    put('ses_main', talk);
    const store = createMemoryStore();
    await expect(importSession({ store, open: () => createReadStream(path) })).rejects.toMatchObject({
      code: 'needs-a-path',
    });
  });
});
