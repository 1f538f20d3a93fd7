import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import { advance } from './context/advance.ts';
import { contextOf, emptyContext } from './context/context.ts';
import type { Entry } from './entry/entry.ts';
import { testIds } from './fixtures/entries.ts';
import { type Operation, operations, perform } from './fixtures/operations.ts';
import { oracleEpoch, oracleLeaf, oracleMessages } from './fixtures/oracle.ts';
import { createSession, openSession } from './live/live-session.ts';
import type { Session } from './session.ts';
import { createMemoryStore } from './store/memory.ts';
import type { Store } from './store/store.ts';
import { createLogCheck } from './tree/check.ts';

const bytes = (value: unknown) => JSON.stringify(value);
const sent = (session: Session) => session.context.items.map(({ message }) => bytes(message));

async function begin(): Promise<{ readonly store: Store; readonly session: Session; readonly tools: Tools }> {
  const store = createMemoryStore();
  const tools = { now: createClock().now, nextId: testIds() };
  return { store, session: await createSession({ store, header: { id: 's' }, ...tools }), tools };
}
type Tools = { readonly now: () => number; readonly nextId: () => string };

const logOf = (session: Session) => session.read({ after: 0 });

async function play(
  list: readonly Operation[],
): Promise<{ readonly session: Session; readonly log: Entry[]; readonly store: Store; readonly tools: Tools }> {
  const { store, session, tools } = await begin();
  for (const operation of list) await perform({ session, operation });
  return { session, log: await logOf(session), store, tools };
}

describe('whatever happens to a session', () => {
  it('what is sent is what the definition says, after every step and at every place', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { session } = await begin();
        for (const operation of list) {
          await perform({ session, operation });
          const log = await logOf(session);
          expect(session.context.problems).toEqual([]);
          expect(session.head.leaf).toBe(oracleLeaf(log));
          expect(session.head.epoch).toBe(oracleEpoch(log, session.head.leaf));
          expect(session.context).toMatchObject({ leaf: session.head.leaf, epoch: session.head.epoch });
          expect(sent(session)).toEqual(oracleMessages(log, session.head.leaf).map(bytes));
        }
        const log = await logOf(session);
        for (const { id } of log) {
          const { epoch, items } = contextOf({ entries: new Map(log.map((entry) => [entry.id, entry])), leaf: id });
          expect(epoch).toBe(oracleEpoch(log, id));
          expect(items.map(({ message }) => bytes(message))).toEqual(oracleMessages(log, id).map(bytes));
        }
      }),
      runs(60),
    );
  });

  it('the log is sound, and the head is where the log leads', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { session, log } = await play(list);
        const check = createLogCheck();
        for (const entry of log) check.add(entry);
        expect(check.finish({ head: session.head })).toEqual([]);
      }),
      runs(100),
    );
  });

  it('replay from the log alone equals the live state, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { session, log, store } = await play(list);
        const opened = await openSession({ store, id: 's' });
        expect(bytes(opened.context)).toBe(bytes(session.context));
        expect(opened.head).toEqual(session.head);
        const entries = new Map(log.map((entry) => [entry.id, entry]));
        expect(bytes(advance({ context: emptyContext, appended: log, entries }))).toBe(bytes(session.context));
        expect(bytes(contextOf({ entries, leaf: session.head.leaf }))).toBe(bytes(session.context));
      }),
      runs(100),
    );
  });

  it('advancing entry by entry, or in pieces of any size, equals building from scratch', async () => {
    await fc.assert(
      fc.asyncProperty(operations, fc.integer({ min: 1, max: 9 }), async (list, size) => {
        const { log } = await play(list);
        const entries = new Map<string, Entry>();
        let context = emptyContext;
        for (let at = 0; at < log.length; at += size) {
          const appended = log.slice(at, at + size);
          for (const entry of appended) entries.set(entry.id, entry);
          context = advance({ context, appended, entries });
          const leaf = oracleLeaf(log.slice(0, at + size));
          expect(context).toEqual(contextOf({ entries, leaf }));
        }
      }),
      runs(60),
    );
  });

  it('promise 7: what is sent only grows until an epoch entry or a move, over restarts and changes of store too', async () => {
    const step = fc.tuple(
      operations.map((list) => list.slice(0, 3)),
      fc.constantFrom('go on', 'restart', 'change store'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        let { store, session, tools } = await begin();
        for (const [list, then] of steps) {
          for (const operation of list) {
            const before = sent(session);
            const { last } = session.head;
            await perform({ session, operation });
            const added = await session.read({ after: last });
            if (added.some(({ type }) => type === 'epoch' || type === 'leaf')) continue;
            expect(sent(session).slice(0, before.length)).toEqual(before);
          }
          const before = sent(session);
          if (then === 'change store') store = await carriedOver({ from: store, session });
          if (then !== 'go on') session = await openSession({ store, id: 's', ...tools });
          expect(sent(session)).toEqual(before);
        }
      }),
      runs(60),
    );
  });

  it('every entry stays as it was appended', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const { session } = await begin();
        let log: Entry[] = [];
        for (const operation of list) {
          await perform({ session, operation });
          const now = await logOf(session);
          expect(bytes(now.slice(0, log.length))).toBe(bytes(log));
          log = now;
        }
      }),
      runs(40),
    );
  });
});

describe('a compaction after whatever happened', () => {
  it('never loses what was kept, however many came before (pi #2608)', async () => {
    await fc.assert(
      fc.asyncProperty(operations, fc.array(fc.nat(50), { maxLength: 5 }), async (list, cuts) => {
        const { session } = await play(list);
        for (const cut of cuts) {
          const items = session.context.items;
          const start = items.findIndex(
            ({ entry }, index) => entry !== null && index >= cut % Math.max(1, items.length),
          );
          const firstKeptId = items[start]?.entry ?? null;
          const from = firstKeptId === null ? items.length : items.findIndex(({ entry }) => entry === firstKeptId);
          await session.compact({ summary: `S${cut}`, firstKeptId, tokensBefore: 1, trigger: 'test' });
          expect(bytes(session.context.items.slice(1))).toBe(bytes(items.slice(from)));
          expect(session.context.items[0]).toMatchObject({ isMade: true, entry: null });
        }
      }),
      runs(60),
    );
  });

  it('is undone and redone byte for byte, and what was said meanwhile follows', async () => {
    await fc.assert(
      fc.asyncProperty(
        operations,
        fc.nat(20),
        fc.array(fc.constantFrom('undo', 'redo', 'say', 'reopen'), { maxLength: 12 }),
        async (list, cut, steps) => {
          let { session, store, tools } = await play(list);
          const full = sent(session);
          const firstKeptId =
            session.context.items.find(({ entry }, index) => entry !== null && index >= cut)?.entry ?? null;
          await session.compact({ summary: 'S', firstKeptId, tokensBefore: 1, trigger: 'test' });
          const short = sent(session);
          const said: string[] = [];
          let isUndone = false;
          for (const step of steps) {
            if (step === 'undo' && !isUndone) await session.undo();
            if (step === 'redo' && isUndone) await session.redo();
            if (step === 'undo' || step === 'redo') isUndone = step === 'undo';
            if (step === 'reopen') session = await openSession({ store, id: 's', ...tools });
            if (step === 'say') {
              const message = {
                role: 'user',
                parts: [{ type: 'text', origin: 'human', text: `m${said.length}` }],
              } as const;
              await session.append({ type: 'message', message });
              said.push(bytes(message));
            }
            expect(sent(session)).toEqual([...(isUndone ? full : short), ...said]);
          }
        },
      ),
      runs(60),
    );
  });
});

describe('a copy of whatever happened', () => {
  it('is sent the same, has the same handles, and goes on by itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        operations,
        operations.map((list) => list.slice(0, 5)),
        async (list, more) => {
          const { session, log, store } = await play(list);
          const fork = await session.fork();
          expect(bytes(await logOf(fork))).toBe(bytes(log));
          expect(fork.head).toEqual(session.head);
          const clone = await session.clone();
          const cloned = await logOf(clone);
          expect(clone.context).toEqual(session.context);
          expect(
            cloned.every(({ id, handle }) => log.some((entry) => entry.id === id && entry.handle === handle)),
          ).toBe(true);
          for (const copy of [fork, clone]) {
            for (const operation of more) await perform({ session: copy, operation });
            const check = createLogCheck();
            const copied = await logOf(copy);
            for (const entry of copied) check.add(entry);
            expect(check.finish({ head: copy.head })).toEqual([]);
            expect(sent(copy)).toEqual(oracleMessages(copied, copy.head.leaf).map(bytes));
            const opened = await openSession({ store, id: copy.id });
            expect(opened.context).toEqual(copy.context);
          }
          expect(bytes(await logOf(session))).toBe(bytes(log));
        },
      ),
      runs(40),
    );
  });
});

/** The same log in another store, through JSON, as an export and an import would bring it there. */
async function carriedOver({ from, session }: { readonly from: Store; readonly session: Session }): Promise<Store> {
  const to = createMemoryStore();
  const header = await from.header(session.id);
  const entries = JSON.parse(JSON.stringify(await session.read({ after: 0 }))) as Entry[];
  const { leaf, epoch } = session.head;
  await to.create({ header: header ?? session.header });
  await to.append({ session: session.id, expect: 0, entries, leaf, epoch });
  return to;
}
