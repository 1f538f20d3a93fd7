import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialects } from '../message/index.ts';
import { operations, perform } from '../session/fixtures/operations.ts';
import { tools } from '../session/fixtures/sessions.ts';
import { createSession } from '../session/live/live-session.ts';
import type { Session } from '../session/session.ts';
import { createMemoryStore } from '../session/store/memory.ts';
import { runs } from '../testing/runs.ts';
import { bringIn, takeOut } from './fixtures/bring-in.ts';

const id = '01a00000-0000-7000-8000-000000000001';
const sent = (session: Session) => session.context.items.map(({ message }) => message);

/** A session to which anything may have happened. */
async function play(list: Parameters<typeof perform>[0]['operation'][]) {
  const store = createMemoryStore();
  const session = await createSession({ store, header: { id }, ...tools() });
  for (const operation of list) await perform({ session, operation });
  return { store, session };
}

describe('whatever happened to a session', () => {
  test('our own lines give it back: every entry, the place, the header', async () => {
    await fc.assert(
      fc.asyncProperty(operations, fc.integer({ min: 1, max: 5000 }), async (list, chunk) => {
        const { store, session } = await play(list);
        const { text } = await takeOut({ store, session: id, format: 'longhaul' });
        const again = await bringIn({ text, chunk });
        expect(again.codes).toEqual([]);
        expect(again.entries).toEqual(await store.read({ session: id, query: { after: 0 } }));
        expect(again.live.head).toEqual(session.head);
        expect((await takeOut({ ...again, format: 'longhaul' })).text).toBe(text);
      }),
      runs(60),
    );
  });

  test('a pi file sends the same, has the same leaf, and is a fixed point', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { store, session } = await play(list);
        const { text } = await takeOut({ store, session: id, format: 'pi' });
        const once = await bringIn({ text });
        expect(once.codes).toEqual([]);
        expect(sent(once.live)).toEqual(sent(session));
        const second = await bringIn({ text: (await takeOut({ ...once, format: 'pi' })).text });
        expect(second.entries).toEqual(once.entries);
        expect(second.live.head).toEqual(once.live.head);
      }),
      runs(60),
    );
  });

  test.each(dialects)('what %s is sent is a fixpoint', async (dialect) => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { store } = await play(list);
        const { text } = await takeOut({ store, session: id, format: dialect });
        const once = await bringIn({ text, format: dialect });
        expect((await takeOut({ ...once, format: dialect })).text).toBe(text);
      }),
      runs(60),
    );
  });

  test('a transcript is a fixpoint', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { store } = await play(list);
        const { text } = await takeOut({ store, session: id, format: 'transcript' });
        const once = await bringIn({ text });
        expect(once.format).toBe('copilot');
        const again = await takeOut({ ...once, format: 'transcript' });
        const second = await bringIn({ text: again.text });
        expect(second.entries).toEqual(once.entries);
        expect(second.live.head).toEqual(once.live.head);
        expect((await takeOut({ ...second, format: 'transcript' })).text).toBe(again.text);
      }),
      runs(60),
    );
  });
});
