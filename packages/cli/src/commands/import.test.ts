import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../io/files.ts';
import type { MemoryIo, MemoryWorld } from '../io/memory-io.ts';
import { run } from '../run.ts';
import { base, jsonl, pi, said, withSession, world } from './sessions.fixture.ts';

const grown = pi + jsonl([base('06', '05', said('user', 'And now?'))]);
const grownMore = grown + jsonl([base('07', '06', said('assistant', 'Now nothing.'))]);

describe('import', () => {
  test('answers with exactly this', async () => {
    const { code, value } = await world().json('import', 'pi.jsonl');
    expect(code).toBe(0);
    expect(value).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      format: 'pi',
      added: 6,
      entries: 6,
      messages: 3,
      toolCalls: 1,
      toolResults: 1,
      thinking: 0,
      images: 0,
      tokens: expect.any(Number),
      warnings: [],
    });
    expect(value.tokens).toBeGreaterThan(20);
  });

  test('again is the same session', async () => {
    const { call, json, id } = await withSession();
    expect((await json('import', 'pi.jsonl')).value.sessionId).toBe(id);
    expect((await call('import', 'pi.jsonl')).stdout).toMatch(/^pi\.jsonl: already imported, pi session /);
    expect((await json('sessions')).value.sessions).toHaveLength(1);
  });

  test('of several files is a list, and a bad one does not keep the others out', async () => {
    const { json, call } = world({ files: { '/project/bad.txt': 'Dear diary' } });
    const { code, value } = await json('import', 'bad.txt', 'pi.jsonl', 'none.json');
    expect(code).toBe(2);
    expect(value).toMatchObject([
      { error: { code: 'not-a-session' } },
      { format: 'pi' },
      { error: { code: 'file-not-found' } },
    ]);
    const { stderr, stdout } = await call('import', 'bad.txt', 'pi.jsonl');
    expect(stderr).toMatch(/^longhaul: bad\.txt: this is no session/);
    expect(stdout).toMatch(/^pi\.jsonl: already imported/);
  });

  test('prints the command to use next, with an id that means this session although another one is newer', async () => {
    const { call, json } = world({ files: { '/project/new.json': '[{"role":"user","content":"A newer one."}]' } });
    await call('import', 'new.json');
    const { stdout } = await call('import', 'pi.jsonl');
    const [, wanted = ''] = /\nNext: longhaul tree (\w+)\n$/.exec(stdout) ?? [];
    expect((await json('tree', wanted)).value.session).toBe((await json('import', 'pi.jsonl')).value.sessionId);
  });

  test('tells what it had to mend, with the line', async () => {
    const { call } = world({ files: { '/project/torn.jsonl': pi.slice(0, -30) } });
    const { code, stdout } = await call('import', 'torn.jsonl');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {2}line 6: The last line is torn; its \d+ characters were left out\.\n/);
  });

  test.each([
    [['none.jsonl'], 'file-not-found'],
    [['empty.jsonl'], 'file-empty'],
    [['long.jsonl', '--limits-line-bytes', '100'], 'line-too-long'],
    [['chat.json', '--limits-file-bytes', '10'], 'file-too-large'],
    [['pi.jsonl', '--format', 'pie'], 'unknown-format'],
    [['pi.jsonl', '--format', 'codex'], 'wrong-format'],
    [['latin.jsonl'], 'not-utf8'],
    [['torn.jsonl.zst'], 'cannot-decompress'],
    [['.'], 'file-is-folder'],
    [[''], 'missing-argument'],
    [[], 'missing-argument'],
    [['--scan', 'pi.jsonl'], 'bad-usage'],
    [['pi.jsonl', '--all'], 'bad-usage'],
    [['pi.jsonl', 'pi.jsonl', '--watch'], 'bad-usage'],
    [['-', '--watch'], 'bad-usage'],
    [['pi.jsonl', '--watch', '--dry-run'], 'bad-usage'],
  ])('refuses %j and leaves nothing behind', async (args, errorCode) => {
    const { json } = world({
      files: {
        '/project/empty.jsonl': '',
        '/project/long.jsonl': pi,
        '/project/latin.jsonl': Buffer.from(pi.replace('files', 'f\u00efles'), 'latin1'),
        '/project/torn.jsonl.zst': Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3),
        '/project/chat.json': '[{"role":"user","content":"hi"}]',
      },
    });
    const { code, value } = await json('import', ...args);
    expect({ code, error: value.error.code }).toEqual({ code: 2, error: errorCode });
    expect((await json('sessions')).value).toEqual({ sessions: [] });
  });

  test('reads standard input, and the dialect that is asked for', async () => {
    const { json } = world({ stdin: '[{"role":"user","content":"hi"}]' });
    expect((await json('import', '-', '--format', 'anthropic')).value).toMatchObject({
      format: 'anthropic',
      messages: 1,
    });
  });

  test('a database on standard input has no place where it could be read', async () => {
    const { json } = world({ stdin: 'SQLite format 3\0…' });
    expect(await json('import', '-')).toMatchObject({
      code: 2,
      value: { error: { code: 'needs-a-path', message: expect.stringMatching(/^standard input: this is a database/) } },
    });
  });

  test('the numbers are those of the session with what it owns', async () => {
    const { io, json, call, id } = await withSession();
    const [store] = io.stores.values();
    await store?.create({ header: { v: 1, id: 'helper', createdAt: 1, owner: { session: id } } });
    await call('import', 'pi.jsonl');
    const entries = (await store?.read({ session: id, query: { handles: [1] } })) ?? [];
    await store?.append({ session: 'helper', expect: 0, entries, leaf: null, epoch: null });
    expect((await json('import', 'pi.jsonl')).value).toMatchObject({ added: 0, entries: 7, messages: 4 });
  });

  test('shows progress on a terminal only, and takes it away again', async () => {
    const { call } = world({ terminal: true });
    const { stderr } = await call('import', 'pi.jsonl');
    const shown = stderr.split('\r\u001b[K');
    expect(shown).toContainEqual(expect.stringMatching(/^█{24} 100 % of \d+ bytes, 6 entries {2}pi\.jsonl$/));
    expect(shown.at(-1)).toBe('');
    expect((await world().call('import', 'pi.jsonl')).stderr).toBe('');
  });
});

describe('a dry run', () => {
  test('tells what would be imported, and makes nothing, not even a store', async () => {
    const { io, json, call } = world();
    const real = (await world().json('import', 'pi.jsonl')).value;
    expect((await json('import', 'pi.jsonl', '--dry-run')).value).toEqual({ ...real, dryRun: true });
    expect((await call('import', 'pi.jsonl', '--dry-run')).stdout).toMatch(
      /^pi\.jsonl: would be imported, pi session /,
    );
    expect(io.stores.size).toBe(0);
    expect([...io.content.keys()]).toEqual(['/project/pi.jsonl']);
  });

  test('knows what is there already', async () => {
    const { io, call, json, id } = await withSession();
    expect((await call('import', 'pi.jsonl', '--dry-run')).stdout).toMatch(/^pi\.jsonl: already imported, /);
    io.content.set('/project/pi.jsonl', new TextEncoder().encode(grown));
    expect((await json('import', 'pi.jsonl', '--dry-run')).value).toMatchObject({
      sessionId: id,
      added: 1,
      entries: 7,
      messages: 4,
    });
    expect((await call('import', 'pi.jsonl', '--dry-run')).stdout).toContain(': 1 new entry would be imported, ');
    expect((await json('stats', id)).value.entries).toBe(6);
  });
});

describe('Ctrl-C', () => {
  /** Somebody presses it as soon as a file is read. */
  const pressed = (...names: readonly string[]) => {
    const { io } = world({ files: { '/project/other.jsonl': pi.replace('abc-1', 'abc-2') } });
    const files: FileSystem = {
      ...io.files,
      read: async function* (path) {
        if (names.includes(path)) io.interrupt();
        yield* io.files.read(path);
      },
    };
    return { ...io, files };
  };

  test('leaves nothing of the file behind, says so, and ends with 130', async () => {
    const io = pressed('/project/pi.jsonl');
    expect(await run({ argv: ['import', 'pi.jsonl'], io })).toBe(130);
    expect(io.printed.stderr).toMatch(/^longhaul: Interrupted before the end of pi\.jsonl: no session was created\.\n/);
    const [store] = io.stores.values();
    expect(await store?.list()).toEqual([]);
  });

  test('ends the list of files; what came before stays', async () => {
    const io = pressed('/project/other.jsonl');
    expect(await run({ argv: ['import', '--json', 'pi.jsonl', 'other.jsonl', 'pi.jsonl'], io })).toBe(130);
    expect(JSON.parse(io.printed.stdout)).toMatchObject([{ format: 'pi' }, { error: { code: 'interrupted' } }]);
    const [store] = io.stores.values();
    expect(await store?.list()).toHaveLength(1);
  });
});

describe('the folder of a session', () => {
  const records = pi.trimEnd().split('\n');

  test('with an event a file is read in their order, however each is written', async () => {
    const events = records.map((record, index) => [
      `/project/conversation/events/event-${index === 5 ? '00100' : `0000${index}`}-abc.json`,
      JSON.stringify(JSON.parse(record), undefined, 2),
    ]);
    const { json } = world({
      files: { ...Object.fromEntries(events), '/project/conversation/events/notes.json': '{' },
    });
    const { value } = await json('import', 'conversation');
    expect(value).toEqual((await world().json('import', 'pi.jsonl')).value);
  });

  test('with a file of events is that file', async () => {
    const { call } = world({ files: { '/project/state/events.jsonl': pi } });
    expect((await call('import', 'state')).stdout).toMatch(/^state\/events\.jsonl: imported, pi session /);
  });

  test('is distinguished from any other', async () => {
    const { call } = world();
    expect((await call('import', '/project')).stderr).toBe(
      'longhaul: /project is a folder, but not the folder of a session.\n  Name the files in it, e.g. with *.jsonl, or use --scan to find the sessions of agents on this machine.\n',
    );
  });
});

describe('watching', () => {
  const write = (text: string) => (io: MemoryIo) =>
    void io.content.set('/project/pi.jsonl', new TextEncoder().encode(text));
  const rest = () => undefined;

  test('imports again whenever the file has come to rest, a line for each, and ends with 0', async () => {
    const { call, json } = world({ meanwhile: [rest, write(grown), rest, rest, write(grownMore), rest] });
    const { code, stdout } = await call('import', 'pi.jsonl', '--watch');
    expect(code).toBe(0);
    const [first, ...changes] = stdout.trimEnd().split('\n');
    expect(first).toMatch(/^pi\.jsonl: imported, pi session /);
    expect(changes.map((line) => line.replace(/^[-0-9 :]+/, ''))).toEqual([
      expect.stringMatching(/^new entry: now 4 messages, 1 tool call, 7 entries, \d+ tokens$/),
      expect.stringMatching(/^new entry: now 5 messages, 1 tool call, 8 entries, \d+ tokens$/),
    ]);
    expect((await json('sessions')).value.sessions).toMatchObject([{ entries: 8 }]);
  });

  test('takes a burst of lines as one change, and tells programs in lines of JSON', async () => {
    const { call } = world({ meanwhile: [write(grown), write(grownMore), rest, rest] });
    const { stdout } = await call('import', 'pi.jsonl', '--watch', '--json');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { added: 6, entries: 6, at: expect.any(String) },
      { added: 2, entries: 8, messages: 5 },
    ]);
  });

  test('goes on after a moment in which the file is none', async () => {
    const { call } = world({ meanwhile: [write(''), rest, write(grown), rest] });
    const { code, stdout, stderr } = await call('import', 'pi.jsonl', '--watch');
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
      code: 0,
      stderr: 'longhaul: pi.jsonl: the file is empty.',
    });
    expect(stdout).toContain('1 new entry');
  });

  test('an answer that is still being written is waited for, for a while', async () => {
    const { io, call } = await withSession();
    await call('export', 'last', '--output', 'own.jsonl');
    const own = new TextDecoder().decode(io.content.get('/project/own.jsonl'));
    const half = own.replace(/("Two of them\.".*)\}/, '$1,"details":{"unfinished":true}}');
    const lengths = async (meanwhile: MemoryWorld['meanwhile']) => {
      const made = world({ files: { '/project/own.jsonl': half }, ...(meanwhile && { meanwhile }) });
      const { stdout } = await made.call('import', 'own.jsonl', '--watch', '--json');
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).added);
    };
    expect(await lengths([])).toEqual([5]);
    // Nothing comes for a while: it is taken as it stands.
    expect(await lengths([rest, rest, rest, rest])).toEqual([5, 1]);
  });

  test('what is no session from the start is refused', async () => {
    const { json } = world({ files: { '/project/bad.txt': 'Dear diary' } });
    expect(await json('import', 'bad.txt', '--watch')).toMatchObject({
      code: 2,
      value: { error: { code: 'not-a-session' } },
    });
  });
});
