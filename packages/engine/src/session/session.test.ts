import { describe, expect, it } from 'vitest';
import { createClock } from '../testing/index.ts';
import { answered, said, testIds } from './fixtures/entries.ts';
import { createSession, openSession } from './open.ts';
import type { Session } from './session.ts';
import { createMemoryStore } from './store/memory.ts';
import type { Store } from './store/store.ts';

const tools = () => ({ now: createClock().now, nextId: testIds() });

async function begin(input: { readonly store?: Store } = {}): Promise<{ store: Store; session: Session }> {
  const store = input.store ?? createMemoryStore();
  return { store, session: await createSession({ store, header: { id: 's' }, ...tools() }) };
}

const texts = (session: Pick<Session, 'context'>) =>
  session.context.items.map(({ message }) => message.parts.map((part) => ('text' in part ? part.text : '')).join('|'));

describe('appending', () => {
  it('chains nodes, and notes change neither the leaf nor what is sent', async () => {
    const { session } = await begin();
    const first = await session.append(said('a'));
    const note = await session.append({ type: 'session_info', info: { name: 'x' } });
    const second = await session.append(answered('b'));
    expect([first.handle, note.handle, second.handle]).toEqual([1, 2, 3]);
    expect([first.parentId, note.parentId, second.parentId]).toEqual([null, first.id, first.id]);
    expect(session.head).toEqual({ last: 3, count: 3, leaf: second.id, epoch: null });
    expect(texts(session)).toEqual(['a', 'b']);
  });

  it('goes round: compaction, undo, redo, move, rewind, fork, clone', async () => {
    const { store, session } = await begin();
    const [a, b, c] = [
      await session.append(said('a')),
      await session.append(answered('b')),
      await session.append(said('c')),
    ];
    await session.compact({ summary: 'S', firstKeptId: c.id, tokensBefore: 3, trigger: 'manual' });
    expect(texts(session)).toEqual([expect.stringContaining('S'), 'c']);
    await session.append(answered('d'));
    await session.undo();
    expect(texts(session)).toEqual(['a', 'b', 'c', 'd']);
    await session.append(said('e'));
    await session.redo();
    expect(texts(session)).toEqual([expect.stringContaining('S'), 'c', 'd', 'e']);
    await session.rewind({ to: b.id });
    expect(texts(session)).toEqual(['a', 'b']);
    await session.undo();
    expect(texts(session)).toEqual([expect.stringContaining('S'), 'c', 'd', 'e']);
    const again = await openSession({ store, id: 's', ...tools() });
    expect(again.context).toEqual(session.context);
    expect(again.head).toEqual(session.head);
    const fork = await session.fork({ at: a.id });
    expect(texts(fork)).toEqual(['a']);
    const clone = await session.clone();
    expect(clone.context.items).toEqual(session.context.items);
  });
});
