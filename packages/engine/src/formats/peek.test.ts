import { describe, expect, test } from 'vitest';
import { bringIn, inPieces, takeOut } from './fixtures/bring-in.ts';
import { assistant, everyKind, jsonl, piEntry, piHeader, user } from './fixtures/pi-file.ts';
import { peekSession } from './peek.ts';

const talk = [piHeader, piEntry('01', null, assistant('Hello.')), piEntry('02', '01', user('Fix\nthe build.'))];
const look = (text: string) => peekSession({ bytes: inPieces({ bytes: new TextEncoder().encode(text), chunk: 50 }) });

describe('glimpseSession', () => {
  test('tells which session an import makes of a file, and what it is about', async () => {
    const text = jsonl(talk);
    expect(await look(text)).toEqual({
      format: 'pi',
      session: (await bringIn({ text })).session,
      key: piHeader.id,
      cwd: '/repo',
      createdAt: Date.UTC(2026, 0, 2, 3, 4, 0),
      title: 'Fix the build.',
    });
  });

  test('needs no more than the beginning of a file with a record a line', async () => {
    const text = jsonl([...talk, piEntry('03', '02', user('x'.repeat(10_000)))]);
    expect(await look(text.slice(0, 2000))).toMatchObject({ format: 'pi', title: 'Fix the build.' });
    expect(await look(jsonl(talk.slice(0, 2)))).toMatchObject({ format: 'pi', title: undefined });
  });

  test('reads no further than the title', async () => {
    let given = 0;
    const bytes = (async function* () {
      for (const record of everyKind().slice(0, 5)) {
        given += 1;
        yield new TextEncoder().encode(`${JSON.stringify(record).padEnd(70_000)}\n`);
      }
    })();
    expect(await peekSession({ bytes })).toMatchObject({ title: 'List the files.' });
    expect(given).toBe(4);
  });

  test('knows a session of ours as itself, and refuses what is none', async () => {
    const { store, session } = await bringIn({ text: jsonl(talk) });
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    expect(await look(text)).toMatchObject({ format: 'longhaul', session, title: 'Fix the build.' });
    await expect(look('Dear diary')).rejects.toMatchObject({ code: 'not-a-session' });
  });
});
