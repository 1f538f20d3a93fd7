import { describe, expect, it } from 'vitest';
import { charsOf } from '../../analysis/item-length.ts';
import type { Message } from '../../message/index.ts';
import { createMemoryStore, createSession, type Session } from '../../session/index.ts';
import { PathCache } from './path-cache.ts';

const text = (role: 'user' | 'assistant', words: string): Message => ({
  role,
  parts: [{ type: 'text', origin: role === 'user' ? 'human' : 'model', text: words }],
});

const round = (n: number): Message[] => [
  {
    role: 'assistant',
    parts: [
      {
        type: 'tool_call',
        origin: 'model',
        id: `c${n}`,
        name: 'write',
        arguments: JSON.stringify({ path: `f${n}`, content: 'x'.repeat(900) }),
      },
    ],
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'tool',
        callId: `c${n}`,
        content: [{ type: 'text', origin: 'tool', text: `output ${n}\n${'y'.repeat(900)}` }],
      },
    ],
  },
];

async function long({ rounds }: { readonly rounds: number }): Promise<Session> {
  const session = await createSession({ store: createMemoryStore() });
  await session.append({ type: 'message', message: text('user', `Never touch vendor/. ${'Please. '.repeat(100)}`) });
  for (let n = 0; n < rounds; n += 1)
    for (const message of round(n)) await session.append({ type: 'message', message });
  return session;
}

/** Tells everything but the last entry, and quotes from those with these handles. */
async function compact(session: Session, quoted: readonly number[] = []): Promise<void> {
  const { entries } = await new PathCache({ session }).pathTo();
  await session.compact({
    summary: 'What was done.',
    firstKeptId: entries.at(-1)?.id ?? null,
    tokensBefore: 1,
    trigger: 'manual',
    details: { made: { lines: quoted.map((handle) => `@${handle}:1-1`) } },
  });
}

describe('the way through a session', () => {
  it('is what the session itself says where all of it is near', async () => {
    const session = await long({ rounds: 5 });
    await compact(session);
    expect((await new PathCache({ session }).pathTo()).entries).toEqual(await session.path());
  });

  it('holds nothing in outline that no compaction has told', async () => {
    const session = await long({ rounds: 20 });
    expect((await new PathCache({ session, near: 1_000 }).pathTo()).entries).toEqual(await session.path());
  });

  it('holds in outline what was told and lies far back: people word for word, results not at all', async () => {
    const session = await long({ rounds: 20 });
    const trail = new PathCache({ session, near: 5_000 });
    await trail.pathTo();
    await compact(session);
    const [path, { entries, wholeFrom }] = [await session.path(), await trail.pathTo()];
    expect(entries.map(({ id }) => id)).toEqual(path.map(({ id }) => id));
    expect(entries[0]).toEqual(path[0]);
    expect(entries.slice(wholeFrom - 1)).toEqual(path.slice(wholeFrom - 1));
    const far = entries.slice(1, wholeFrom - 1);
    expect(far.length).toBeGreaterThan(30);
    for (const entry of far) expect(JSON.stringify(entry).length).toBeLessThan(700);
    expect(JSON.stringify(far[0])).toContain('f0');
    expect(JSON.stringify(far)).not.toContain('output');
  });

  it('holds a bounded amount, however long the session is: of what lies farther back only what people said', async () => {
    const chars = async (rounds: number) => {
      const session = await long({ rounds });
      await compact(session);
      const { entries } = await new PathCache({ session, near: 5_000, far: 3_000 }).pathTo();
      expect(entries.map(({ id }) => id)).toEqual((await session.path()).map(({ id }) => id));
      expect(JSON.stringify(entries[0])).toContain('Never touch vendor/.');
      return entries.reduce((sum, entry) => sum + (entry.type === 'message' ? charsOf(entry.message) : 0), 0);
    };
    const [short, longer] = [await chars(40), await chars(200)];
    expect(longer).toBeLessThan(short + 1_000);
  });

  it('has the lines that the newest summary quotes as they were said, under their numbers, and not the rest', async () => {
    const session = await long({ rounds: 20 });
    await compact(session, [3]);
    const trail = new PathCache({ session, near: 5_000 });
    const { entries } = await trail.pathTo();
    const content = [{ type: 'text', origin: 'tool', text: 'output 0' }];
    expect(entries[2]).toMatchObject({ handle: 3, message: { parts: [{ type: 'tool_result', content }] } });
    expect(entries[4]).toMatchObject({ handle: 5, message: { parts: [{ type: 'tool_result', content: [] }] } });
    // The same objects: what did not change need not cross to a worker again.
    expect((await trail.pathTo()).entries[2]).toBe(entries[2]);
  });

  it('reads each entry once', async () => {
    const session = await long({ rounds: 20 });
    const asked: unknown[] = [];
    const trail = new PathCache({
      session: {
        get head() {
          return session.head;
        },
        read: (query) => {
          asked.push(query);
          return session.read(query);
        },
      },
    });
    await trail.pathTo();
    await trail.pathTo();
    await session.append({ type: 'message', message: text('user', 'And now?') });
    await Promise.all([trail.pathTo(), trail.pathTo()]);
    expect(asked).toHaveLength(2);
    expect((await trail.pathTo()).entries).toEqual(await session.path());
  });
});
