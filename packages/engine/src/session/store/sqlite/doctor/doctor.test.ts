import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFiles } from '../files.ts';
import { temporaryFolder } from '../fixtures.ts';
import { layoutOf, type StoreLayout } from '../layout.ts';
import { appendOf, begin, countExact, session } from '../proof/log.ts';
import { entryOf } from '../row.ts';
import { StoreWorker } from '../store-worker.ts';

describe('the doctor', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let worker: StoreWorker;
  let layout: StoreLayout;
  beforeEach(() => {
    folder = temporaryFolder();
    worker = new StoreWorker({ dir: folder.dir });
    layout = layoutOf(folder.dir);
  });
  afterEach(() => {
    worker.run('close', {});
    folder.remove();
  });
  const fill = (count = 20): void => {
    begin(worker);
    worker.run('append', appendOf({ after: 0, count }));
    worker.run('list', {});
    worker.run('search', { text: 'entry' });
  };
  const change = (sql: string): void => {
    worker.run('close', {});
    const db = new DatabaseSync(layout.session(session).log);
    db.exec(sql);
    db.close();
  };
  const kinds = (): string[] =>
    worker.run('doctor', {}).sessions.flatMap(({ problems }) => problems.map(({ kind, where }) => `${kind} ${where}`));
  const handles = (): number[] =>
    worker.run('read', { session, query: { after: 0 }, from: 0 }).rows.map(({ handle }) => handle);

  it('finds an empty store sound', () => {
    expect(worker.run('doctor', {})).toEqual({ sound: true, sessions: [], problems: [], leftovers: [] });
  });

  it('finds a store in use sound, and changes nothing', () => {
    fill();
    expect(worker.run('doctor', { fix: true })).toEqual({
      sound: true,
      sessions: [{ session, sound: true, entries: 20, problems: [] }],
      problems: [],
      leftovers: [],
    });
    expect(existsSync(layout.setAside)).toBe(false);
    expect(countExact(worker)).toBe(20);
  });

  it('says that there is no such session', () => {
    expect(() => worker.run('doctor', { session: 'none' })).toThrow('missing');
  });

  it('takes leftovers of a kill for harmless, and sweeps them when they are settled', () => {
    fill();
    const { folder: home, blobs } = layout.session(session);
    const stray = [`${home}.new-1-1-1`, join(layout.removed, 'x'), join(blobs, 'a'.repeat(64)), join(blobs, 'b.new')];
    mkdirSync(layout.removed);
    for (const path of stray) {
      if (path.startsWith(blobs)) writeFileSync(path, 'x');
      else mkdirSync(path);
    }
    const found = worker.run('doctor', { fix: true });
    expect(found.sound).toBe(true);
    expect([...found.leftovers].sort()).toEqual([...stray].sort());
    expect(stray.every((path) => existsSync(path))).toBe(true);
    for (const path of stray) utimesSync(path, 0, 0);
    worker.run('doctor', { fix: true });
    expect(stray.some((path) => existsSync(path))).toBe(false);
    expect(countExact(worker)).toBe(20);
  });

  it('finds a changed entry, keeps the others, and sets the original aside', () => {
    fill();
    change("UPDATE entries SET body = replace(body, 'entry', 'entri') WHERE handle = 9");
    expect(() => handles()).toThrow('damage');
    expect(kinds()).toEqual(expect.arrayContaining(['entry-damaged @9', 'parent-missing @10']));
    const before = readFileSync(layout.session(session).log);
    const [report] = worker.run('doctor', { fix: true }).sessions;
    expect(report?.repaired?.entries).toBe(19);
    const kept = readFileSync(join(report?.repaired?.setAside ?? '', session, 'log.sqlite'));
    expect(kept.equals(before)).toBe(true);
    expect(worker.run('doctor', {}).sound).toBe(true);
    const rows = worker.run('read', { session, query: { after: 7 }, from: 0 }).rows.map(entryOf);
    expect(rows.map(({ handle, parentId }) => [handle, parentId])).toEqual(
      expect.arrayContaining([
        [8, 'id-00000007'],
        [10, 'id-00000008'],
        [11, 'id-00000010'],
      ]),
    );
  });

  it.each([
    ['DELETE FROM entries WHERE handle = 5', 'entry-missing before @6'],
    ["UPDATE head SET leaf = 'id-00000003'", 'head-damaged head'],
    ['DELETE FROM head', 'head-damaged head'],
    ["UPDATE meta SET header = '{}'", 'header-damaged header'],
    ['DELETE FROM spans', 'lookup-damaged epochs'],
    ['UPDATE runs SET base = 7', 'lookup-damaged paths'],
    ['DROP TABLE head', 'log-damaged head'],
  ])('finds and mends: %s', (sql, problem) => {
    fill();
    change(sql);
    expect(kinds()).toContain(problem);
    worker.run('doctor', { fix: true });
    expect(worker.run('doctor', {}).sound).toBe(true);
    expect(handles().length).toBeGreaterThanOrEqual(19);
  });

  it('misses what was in a removed write-ahead log', () => {
    fill(10);
    worker.run('append', appendOf({ after: 10, count: 10 }));
    worker.run('list', {});
    const { log } = layout.session(session);
    const main = readFileSync(log);
    worker.run('close', {});
    writeFileSync(log, main);
    expect(kinds()).toEqual(['entries-lost after @0']);
    worker.run('doctor', { fix: true });
    expect(worker.run('doctor', {}).sound).toBe(true);
  });

  it('finds a blob that is gone or changed, and says in its place what was lost', () => {
    fill();
    const { blobs } = layout.session(session);
    const [first = '', second = ''] = readdirSync(blobs);
    rmSync(join(blobs, first));
    writeFileSync(join(blobs, second), 'other');
    expect(kinds().map((kind) => kind.split(' ')[0])).toEqual(['blob-damaged', 'blob-damaged']);
    worker.run('doctor', { fix: true });
    expect(worker.run('doctor', {}).sound).toBe(true);
    expect(handles()).toHaveLength(20);
    expect(JSON.stringify(worker.run('read', { session, query: { after: 0 }, from: 0 }).rows)).toContain(
      `SHA-256 ${first}`,
    );
  });

  it('passes over a damaged page and finds what is behind it', () => {
    fill(200);
    worker.run('close', {});
    const { log } = layout.session(session);
    const bytes = readFileSync(log);
    for (let page = 20; page < 22; page += 1) bytes.fill(0xab, page * 4096, (page + 1) * 4096);
    writeFileSync(log, bytes);
    expect(worker.run('doctor', { fix: true }).sound).toBe(false);
    expect(worker.run('doctor', {}).sound).toBe(true);
    expect(handles().length).toBeGreaterThan(100);
    expect(handles().at(-1)).toBe(200);
  });

  it('sets aside what is no log at all, and the list still names it', () => {
    fill();
    worker.run('close', {});
    writeFileSync(layout.session(session).log, 'not a database, whatever its name says');
    expect(worker.run('list', {})).toMatchObject([
      { header: { id: session, details: { damage: expect.any(String) } } },
    ]);
    expect(worker.run('doctor', { fix: true }).sessions).toMatchObject([{ sound: false, repaired: { entries: 0 } }]);
    expect(worker.run('doctor', {}).sound).toBe(true);
  });

  it.each(['catalog', 'index'] as const)('rebuilds a damaged %s by itself, and sets the old one aside', (which) => {
    fill();
    worker.run('close', {});
    writeFileSync(layout[which], 'x'.repeat(20_000));
    expect(worker.run('doctor', {}).problems).toMatchObject([{ kind: `${which}-damaged` }]);
    expect(worker.run('list', {})).toMatchObject([{ header: { id: session }, count: 20 }]);
    expect(worker.run('search', { text: 'entry', limit: 50 })).toHaveLength(20);
    expect(readdirSync(layout.setAside)).toHaveLength(1);
    expect(worker.run('doctor', {}).sound).toBe(true);
  });

  it.each<[string, (path: string) => void, string]>([
    ['a folder', (path) => mkdirSync(path), 'there is a folder in the place of the database'],
    ['a pipe', (path) => void spawnSync('mkfifo', [path]), 'there is a pipe, socket or device'],
    ['text', (path) => writeFileSync(path, 'not a database'.repeat(99)), 'file is not a database'],
  ])('said nothing useful about %s in the place of a log, the catalog or the index', (_, put, what) => {
    for (const path of [layout.catalog, layout.index]) {
      rmSync(path, { force: true, recursive: true });
      put(path);
    }
    expect(worker.run('doctor', {}).problems).toMatchObject([
      { kind: 'catalog-damaged', what: expect.stringContaining(what) },
      { kind: 'index-damaged', what: expect.stringContaining(what) },
    ]);
    worker.run('doctor', { fix: true });
    expect(worker.run('doctor', {})).toMatchObject({ sound: true, problems: [] });
    fill();
    worker.run('close', {});
    const { log } = layout.session(session);
    rmSync(log);
    put(log);
    expect(worker.run('list', {})).toMatchObject([{ header: { details: { damage: expect.any(String) } } }]);
    expect(worker.run('doctor', {}).sessions).toMatchObject([
      { sound: false, problems: [{ kind: 'log-unreadable', what: expect.stringContaining(what) }] },
    ]);
    expect(worker.run('doctor', { fix: true }).sessions).toMatchObject([{ repaired: { entries: 0 } }]);
    expect(worker.run('doctor', {}).sound).toBe(true);
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
  ])('says that nothing can be written (%s), and takes no session for damaged', (code, why) => {
    fill();
    worker.run('close', {});
    const files = createFiles();
    const writeSynced = () => {
      throw Object.assign(new Error(code), { code });
    };
    const refused = new StoreWorker({ dir: folder.dir, files: { ...files, writeSynced } });
    expect(refused.run('doctor', {})).toMatchObject({
      sound: false,
      sessions: [{ sound: true }],
      problems: [{ kind: 'disk-refuses', what: expect.stringContaining(why), hint: expect.any(String) }],
    });
    refused.run('close', {});
    expect(readdirSync(layout.sessions)).toEqual([session]);
  });

  it('names a log that cannot be written although the disk can, and does not replace it', () => {
    fill();
    worker.run('close', {});
    const { log } = layout.session(session);
    mkdirSync(`${log}-wal`);
    const [report] = worker.run('doctor', { fix: true }).sessions;
    expect(report).toMatchObject({ sound: false, entries: 20, problems: [{ kind: 'log-refused' }] });
    expect(report).not.toHaveProperty('repaired');
    expect(handles()).toHaveLength(20);
    worker.run('close', {});
    rmSync(`${log}-wal`, { recursive: true });
    expect(worker.run('doctor', {}).sound).toBe(true);
  });

  it('names a session whose time cannot be true, and leaves it as it is', () => {
    worker.run('create', { header: { v: 1, id: session, createdAt: Date.UTC(9999, 0) } });
    for (const fix of [false, true])
      expect(worker.run('doctor', { fix }).sessions).toMatchObject([
        { sound: true, problems: [{ kind: 'time-implausible', hint: expect.stringContaining('export') }] },
      ]);
    expect(existsSync(layout.setAside)).toBe(false);
  });

  it('leaves a session as it is when there is no room for its repair', () => {
    fill();
    change('DELETE FROM head');
    const files = createFiles();
    const makeFolder = (path: string) => {
      if (path.includes('.new-')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      files.makeFolder(path);
    };
    const full = new StoreWorker({ dir: folder.dir, files: { ...files, makeFolder } });
    const [report] = full.run('doctor', { fix: true }).sessions;
    expect(report?.repaired).toBeUndefined();
    expect(report?.problems.at(-1)).toMatchObject({ kind: 'not-repaired', what: expect.stringContaining('full') });
    full.run('close', {});
    worker.run('doctor', { fix: true });
    expect(handles()).toHaveLength(20);
  });
});
