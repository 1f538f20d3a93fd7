import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore, createSession, openSession, type Session } from '../../session/index.ts';
import { createClock } from '../../testing/index.ts';
import { runs } from '../../testing/runs.ts';
import { byCharacter } from '../fixtures/by-character.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { answer, call, result, say } from '../fixtures/messages.ts';
import { talk } from '../fixtures/talk.ts';
import { followTranscript } from './follow.ts';
import { type LineFile, openLineFile } from './line-file.ts';

let dir = '';
const path = () => join(dir, 'deep', 'session.jsonl');
const text = () => readFile(path(), 'utf8');
const lines = async () => (await text()).trimEnd().split('\n');

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longhaul-transcript-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function started() {
  const store = createMemoryStore();
  const { now } = createClock();
  const session = await createSession({ store, header: { id: 's' }, now });
  const speak = async (...words: readonly string[]) => {
    for (const word of words) await session.append({ type: 'message', message: say(word) });
  };
  return { store, session, speak, again: () => openSession({ store, id: 's', now }) };
}

/** What a transcript that was never interrupted says. */
async function whole(session: Session): Promise<string> {
  const fresh = join(dir, 'whole.jsonl');
  await rm(fresh, { force: true });
  await (await followTranscript({ session, file: fresh })).close();
  return await readFile(fresh, 'utf8');
}

describe('a transcript that follows its session', () => {
  test('has what was said before, and what is said from then on, without being asked', async () => {
    const { session, speak } = await started();
    await speak('one', 'two');
    const transcript = await followTranscript({ session, file: path() });
    expect(transcript.state).toEqual({ path: path(), lines: 3 });
    await speak('three');
    await session.append({ type: 'message', message: call('c') });
    await session.append({ type: 'message', message: result('c', 'the output') });
    expect(await transcript.close()).toEqual({ path: path(), lines: (await lines()).length });
    expect(await text()).toContain('the output');
    await speak('nobody writes this');
    expect(await text()).not.toContain('nobody writes this');
  });

  test('editor.md 10.1: loses no line to a write that failed, and does not stop the session', async () => {
    const { session, speak } = await started();
    const real = openLineFile(path());
    let isFull = false;
    const put: LineFile['put'] = async ({ at, text: given }) => {
      if (!isFull) return await real.put({ at, text: given });
      await real.put({ at, text: given.slice(0, 20) });
      throw new Error('ENOSPC: no space left');
    };
    const reported: string[] = [];
    const onFailure = (why: string) => void reported.push(why);
    const transcript = await followTranscript({ session, file: path(), disk: { ...real, put }, onFailure });
    await speak('one');
    const { lines: before } = await transcript.flush();
    isFull = true;
    await speak('two', 'three');
    expect(await transcript.flush()).toEqual({ path: path(), lines: before, failure: 'ENOSPC: no space left' });
    expect(reported.length).toBeGreaterThan(0);
    isFull = false;
    await speak('four');
    await transcript.close();
    expect(await text()).toBe(await whole(session));
    expect(await lines()).toHaveLength(5);
  });

  test('goes on after a kill at any byte, and after NUL bytes of a power loss', async () => {
    const { session, speak, again } = await started();
    await speak('one', 'two', 'three');
    const all = await whole(session);
    for (let cut = 0; cut <= all.length; cut += 37) {
      for (const tail of ['', '\0\0\0\0', '\0\0\0\n', '{"id":"x","parentId":"y"}\n']) {
        if (cut === 0 && tail.startsWith('{')) continue;
        await rm(path(), { force: true });
        await openLineFile(path()).put({ at: 0, text: all.slice(0, cut) + tail });
        const file = { session: await again(), file: path() };
        // Of a first line of which nothing is left but noise nobody can say whose it is.
        if (cut < all.indexOf('\n') && tail.includes('\n')) {
          await expect(followTranscript(file)).rejects.toMatchObject({ code: 'transcript-foreign' });
          continue;
        }
        await (await followTranscript(file)).close();
        expect(await text()).toBe(all);
      }
    }
  });

  test('takes back what was torn also where there is nothing new to write', async () => {
    const { session, speak } = await started();
    await speak('one');
    const all = await whole(session);
    await openLineFile(path()).put({ at: 0, text: `${all}{"type":"user.mess` });
    const transcript = await followTranscript({ session, file: path() });
    expect(await text()).toBe(all);
    expect(transcript.state.lines).toBe(2);
  });

  test('does not touch a file that is none of its own', async () => {
    const { session, speak } = await started();
    const other = await createSession({ store: createMemoryStore(), header: { id: 'other' } });
    await speak('one', 'two');
    await (await followTranscript({ session: other, file: path() })).close();
    const own = await text();
    for (const content of [own, 'notes\n', '{"type":"session.start"}\n', 'x', '{}']) {
      await writeFile(path(), content);
      await expect(followTranscript({ session, file: path() })).rejects.toMatchObject({ code: 'transcript-foreign' });
      expect(await text()).toBe(content);
    }
    // The file of the same session in a later state than the log has.
    await rm(path());
    await (await followTranscript({ session, file: path() })).close();
    const later = await text();
    const set = await createSession({ store: createMemoryStore(), header: session.header });
    await expect(followTranscript({ session: set, file: path() })).rejects.toMatchObject({
      code: 'transcript-foreign',
    });
    expect(await text()).toBe(later);
  });

  test('is rewritten when it is removed or truncated meanwhile', async () => {
    const { session, speak } = await started();
    const transcript = await followTranscript({ session, file: path() });
    await speak('one');
    await transcript.flush();
    await rm(path());
    await speak('two');
    await transcript.flush();
    expect(await text()).toBe(await whole(session));
    await writeFile(path(), (await text()).slice(0, 300));
    await transcript.flush();
    expect(await text()).toBe(await whole(session));
  });

  test('is one file where two write it', async () => {
    const { session, speak, again } = await started();
    const [one, two] = [session, await again()];
    const both = [
      await followTranscript({ session: one, file: path() }),
      await followTranscript({ session: two, file: path() }),
    ];
    await speak('one', 'two');
    await Promise.all(both.map((transcript) => transcript.flush()));
    await speak('three');
    for (const transcript of both) await transcript.close();
    expect(await text()).toBe(await whole(session));
  });

  test('has no secrets in it', async () => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const { session, speak } = await started();
    await speak(`The key is ${key}, the word is correct-horse.`);
    await (await followTranscript({ session, file: path(), secrets: ['correct-horse'] })).close();
    expect(await text()).not.toMatch(new RegExp(`${key}|correct-horse`));
    expect(await text()).toContain('[secret:');
  });

  test('tells a compaction with its epoch wherever pages end', async () => {
    const { session, speak } = await started();
    for (const before of [197, 3]) {
      await speak(...Array.from({ length: before }, (_, at) => `${at}`));
      await session.compact({ summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'manual' });
    }
    await speak('end');
    const all = await whole(session);
    expect(all.match(/session\.compaction_complete/g)).toHaveLength(2);
    expect(all.trimEnd().split('\n').at(-1)).toContain('"end"');
  });
});

test('however a transcript is interrupted, it says in the end what an uninterrupted one says', async () => {
  const happening = fc.oneof(
    fc.record({ speak: fc.string() }),
    fc.record({ cut: fc.nat(2_000) }),
    fc.constant({ flush: true } as const),
    fc.constant({ restart: true } as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 15 }), async (happenings) => {
      const { session, speak } = await started();
      await rm(path(), { force: true });
      let transcript = await followTranscript({ session, file: path() });
      for (const one of happenings) {
        if ('speak' in one) await speak(one.speak);
        if ('flush' in one) await transcript.flush();
        if ('restart' in one) {
          await transcript.close();
          transcript = await followTranscript({ session, file: path() });
        }
        if ('cut' in one) {
          await transcript.flush();
          await writeFile(path(), (await readFile(path())).subarray(0, one.cut));
        }
      }
      await transcript.close();
      expect(await text()).toBe(await whole(session));
    }),
    runs(60),
  );
});

describe('D14: the breadcrumb of a compaction', () => {
  const wide = modelOf({ window: 100_000 });
  const model = modelOf({ window: 10_000 });

  test('names the transcript, its lines and a call that reads them, once and for all', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    const transcript = await session.follow({ file: join(dir, "it's 0198f3a2-77aa-7bbb-8ccc-1234567890ab.jsonl") });
    await talk({ session, turns: 5, model: wide });
    const { summary = '' } = await session.compact({ model });
    const [, count, range, quoted] = /: (\d+) lines of JSON.*`sed -n '(\d+,\d+)p' ('.*?jsonl')`/.exec(summary) ?? [];
    expect(summary).toContain(transcript.state.path);
    expect(quoted).toBe(`'${transcript.state.path.replace("'", "'\\''")}'`);
    const there = (await readFile(transcript.state.path, 'utf8')).trimEnd().split('\n');
    expect(Number(count)).toBeGreaterThan(5);
    expect(Number(range?.split(',')[1])).toBe(Number(count));
    expect(there[Number(count) - 1]).toContain('assistant.');
    const sent = session.context.items[0];
    await session.append({ type: 'message', message: answer('more') });
    await transcript.flush();
    expect(session.context.items[0]).toEqual(sent);
  });

  test('is unchanged without a transcript, or after it was closed', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 5, model: wide });
    expect((await session.preview({ model })).summary).not.toContain('lines of JSON');
    const transcript = await session.follow({ file: path() });
    expect((await session.preview({ model })).summary).toContain('lines of JSON');
    await transcript.close();
    expect((await session.preview({ model })).summary).not.toContain('lines of JSON');
  });
});
