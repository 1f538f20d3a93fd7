import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { answered, said } from '../fixtures/entries.ts';
import { type Operation, operation, operations, perform } from '../fixtures/operations.ts';
import { begin, changed, texts } from '../fixtures/sessions.ts';
import { openSession } from '../live/live-session.ts';
import type { Session } from '../session.ts';

const compaction = { tokensBefore: 9, trigger: 'manual' };
const compacted = (session: Session) => session.compact({ summary: 'S', firstKeptId: null, ...compaction });
const S = expect.stringContaining('S');

describe('undo and redo', () => {
  it('of a compaction take it back and bring it again, and what was said since follows', async () => {
    const { session } = await begin();
    await session.appendBatch([said('a'), answered('b')]);
    const { epoch } = await compacted(session);
    await session.append(said('c'));
    const undone = await session.undo();
    expect(undone).toMatchObject({ action: { id: epoch.id }, entry: { reason: 'undo' } });
    expect(texts(session)).toEqual(['a', 'b', 'c']);
    await session.append(said('d'));
    await session.redo();
    expect(texts(session)).toEqual([S, 'c', 'd']);
    await session.undo();
    expect(texts(session)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are entries in constant space, and name what they restore', async () => {
    const { session } = await begin();
    const [, b] = await session.appendBatch([said('a'), answered('b')]);
    const { compaction: made, epoch } = await compacted(session);
    const { entry: undo } = await session.undo();
    expect(made.parentId).toBe(b?.id);
    expect(undo).toMatchObject({ items: { restore: { node: b?.id, after: epoch.id } } });
    const { entry: redo } = await session.redo();
    expect(redo).toMatchObject({ items: { restore: { node: epoch.id, after: undo.id } } });
  });

  it('cost as little to open after two hundred rounds as after one', async () => {
    const rowsAfter = async (rounds: number): Promise<number> => {
      const { session, store } = await begin();
      await session.appendBatch([said('a'), answered('b')]);
      await compacted(session);
      for (let round = 0; round < rounds; round += 1) {
        await session.undo();
        await session.redo();
      }
      let rows = 0;
      const counting = changed(store, {
        read: async (input) => {
          const found = await store.read(input);
          rows += found.length;
          return found;
        },
      });
      expect(texts(await openSession({ store: counting, id: 's' }))).toEqual([S]);
      return rows;
    };
    expect(await rowsAfter(200)).toBe(await rowsAfter(1));
  });

  it('hold over a restart and many rounds', async () => {
    const { session, store } = await begin();
    await session.appendBatch([said('a'), answered('b')]);
    await compacted(session);
    let subject = session;
    for (let round = 0; round < 10; round += 1) {
      await subject.undo();
      expect(texts(subject)).toEqual(['a', 'b']);
      subject = await openSession({ store, id: 's' });
      await subject.redo();
      subject = await openSession({ store, id: 's' });
      expect(texts(subject)).toEqual([S]);
    }
  });

  it('take several actions back in turn, newest first', async () => {
    const { session } = await begin();
    const [a, b] = await session.appendBatch([said('a'), answered('b'), said('c')]);
    await session.edit({ target: a?.id ?? '', replacement: null });
    await session.rewind({ to: b?.id ?? null }).catch(() => undefined);
    await session.compact({ summary: 'S', firstKeptId: null, ...compaction });
    expect(texts(session)).toEqual([S]);
    await session.undo();
    expect(texts(session)).toEqual(['a', 'b']);
    await session.undo();
    expect(texts(session)).toEqual(['b', 'c']);
    await session.undo();
    expect(texts(session)).toEqual(['a', 'b', 'c']);
    await expect(session.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
    await session.redo();
    await session.redo();
    await session.redo();
    expect(texts(session)).toEqual([S]);
    await expect(session.redo()).rejects.toMatchObject({ code: 'nothing-to-redo' });
  });

  it('of a move go back to where it left from, and to where it had led', async () => {
    const { session } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b')]);
    const { entry } = await session.move({ to: a?.id ?? null });
    const c = await session.append(said('c'));
    const undo = await session.undo();
    expect(undo.entry).toMatchObject({ type: 'leaf', reason: 'undo', reverses: entry?.id, target: b?.id });
    expect(texts(session)).toEqual(['a', 'b']);
    const redo = await session.redo();
    expect(redo.entry).toMatchObject({ type: 'leaf', reason: 'redo', reverses: undo.entry.id, target: c.id });
    expect(texts(session)).toEqual(['a', 'c']);
    await session.undo();
    const d = await session.append(said('d'));
    await session.redo();
    await session.undo();
    expect(session.head.leaf).toBe(d.id);
    expect(texts(session)).toEqual(['a', 'b', 'd']);
  });

  it('a new action forgets what was undone', async () => {
    const { session } = await begin();
    const [a] = await session.appendBatch([said('a'), said('b')]);
    await compacted(session);
    await session.undo();
    await session.rewind({ to: a?.id ?? null });
    await expect(session.redo()).rejects.toMatchObject({ code: 'nothing-to-redo' });
    expect((await session.history()).done).toHaveLength(1);
  });

  it('skip automatic changes: a changed head or model, a guard cut, an import', async () => {
    const { session } = await begin();
    await session.append(said('a'));
    await compacted(session);
    for (const reason of ['head', 'model', 'guard', 'import']) {
      await session.append({ type: 'epoch', reason, items: { list: [] }, codec: 1 });
    }
    expect((await session.history()).done).toHaveLength(1);
    await session.undo();
    expect(texts(session)).toEqual(['a']);
  });

  it('of any action give back exactly what was sent before it', async () => {
    const isAction = (what: Operation) => ['compact', 'edit', 'prune', 'move', 'rewind'].includes(what.do);
    await fc.assert(
      fc.asyncProperty(operations, fc.array(operation, { maxLength: 4 }), async (list, actions) => {
        const { session } = await begin();
        for (const what of list) await perform({ session, operation: what });
        const states = [JSON.stringify(session.context.items)];
        for (const what of actions.filter(isAction)) {
          const { last } = session.head;
          await perform({ session, operation: what.do === 'move' ? { do: 'move', to: what.to } : what });
          if (session.head.last > last) states.push(JSON.stringify(session.context.items));
        }
        for (const state of states.slice(0, -1).reverse()) {
          await session.undo();
          expect(JSON.stringify(session.context.items)).toBe(state);
        }
        for (const state of states.slice(1)) {
          await session.redo();
          expect(JSON.stringify(session.context.items)).toBe(state);
        }
      }),
      runs(100),
    );
  });
});
