import { describe, expect, it } from 'vitest';
import { type Message, user } from '../../message/index.ts';
import type { Draft } from '../entry/entry.ts';
import { answered, said } from '../fixtures/entries.ts';
import { begin, texts } from '../fixtures/sessions.ts';
import { openSession } from '../live/live-session.ts';

const result = (text: string): Draft => ({
  type: 'message',
  message: {
    role: 'tool',
    parts: ['c1', 'c2'].map((callId) => ({
      type: 'tool_result',
      origin: 'tool',
      callId,
      content: [{ type: 'text', origin: 'tool', text: `${text} ${callId}` }],
      isError: true,
      wire: { dialect: 'anthropic', fields: { extra: 1 } },
    })),
  },
});

const compaction = { tokensBefore: 9, trigger: 'manual' };
const summary = (text: string) => expect.stringContaining(text);

describe('a compaction', () => {
  it('sends the summary, what was kept, and what comes after', async () => {
    const { session } = await begin();
    const [, , c] = await session.appendBatch([said('a'), answered('b'), said('c'), answered('d')]);
    const made = await session.compact({ summary: 'S', firstKeptId: c?.id ?? null, ...compaction });
    await session.append(said('e'));
    expect(texts(session)).toEqual([summary('S'), 'c', 'd', 'e']);
    expect(made.compaction).toMatchObject({ summary: 'S', firstKeptId: c?.id, tokensBefore: 9, trigger: 'manual' });
    expect(made.epoch).toMatchObject({ reason: 'compaction', codec: 1 });
  });

  it('repeated, keeps what the one before it kept (pi #2608)', async () => {
    const { session } = await begin();
    const [, b] = await session.appendBatch([said('a'), answered('b'), said('c')]);
    await session.compact({ summary: 'S1', firstKeptId: b?.id ?? null, ...compaction });
    await session.append(said('d'));
    await session.compact({ summary: 'S2', firstKeptId: b?.id ?? null, ...compaction });
    expect(texts(session)).toEqual([summary('S2'), 'b', 'c', 'd']);
  });

  it('with a boundary that is not sent is refused, instead of keeping nothing in silence (pi)', async () => {
    const { session } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b')]);
    await session.compact({ summary: 'S', firstKeptId: b?.id ?? null, ...compaction });
    for (const firstKeptId of ['nobody', a?.id ?? '']) {
      await expect(session.compact({ summary: 'T', firstKeptId, ...compaction })).rejects.toMatchObject({
        code: 'not-in-context',
      });
    }
    expect(texts(session)).toEqual([summary('S'), 'b']);
  });

  it('may keep the head in front and say the summary in its own messages', async () => {
    const { session } = await begin();
    await session.appendBatch([said('head'), said('a'), said('b')]);
    const own = user('mine', { origin: 'engine' });
    await session.compact({ summary: 'S', firstKeptId: null, made: [own], keepFirst: 1, ...compaction });
    expect(texts(session)).toEqual(['head', 'mine']);
    expect(session.context.items.map(({ isMade }) => isMade)).toEqual([false, true]);
  });

  it('without its epoch changes nothing that is sent', async () => {
    const { session } = await begin();
    await session.append(said('a'));
    await session.append({ type: 'compaction', summary: 'S', firstKeptId: null, ...compaction });
    expect(texts(session)).toEqual(['a']);
  });
});

describe('a prune', () => {
  it('replaces what results say and nothing else; the entry keeps every byte', async () => {
    const { session } = await begin();
    const [, output] = await session.appendBatch([said('a'), result('long'), said('b')]);
    const entry = output?.id ?? '';
    await session.prune({ targets: [{ entry, part: 2, notice: 'elided' }] });
    expect(texts(session)).toEqual(['a', 'long c1|elided', 'b']);
    const [, item] = session.context.items;
    expect(item).toMatchObject({
      entry,
      isMade: true,
      message: { parts: [{ callId: 'c1' }, { callId: 'c2', isError: true }] },
    });
    expect(item?.message.parts[1]).not.toHaveProperty('wire');
    expect((await session.recall({ handle: '@2.2' })).text).toBe('long c2');
    await session.prune({ targets: [{ entry, notice: 'gone' }] });
    expect(texts(session)).toEqual(['a', 'gone|gone', 'b']);
  });

  it('stays when a compaction keeps what was pruned', async () => {
    const { session } = await begin();
    const [output] = await session.appendBatch([result('long'), said('b')]);
    const entry = output?.id ?? '';
    await session.prune({ targets: [{ entry, notice: 'gone' }] });
    await session.compact({ summary: 'S', firstKeptId: entry, ...compaction });
    expect(texts(session)).toEqual([summary('S'), 'gone|gone', 'b']);
  });

  it('of what is not sent is refused', async () => {
    const { session } = await begin();
    await expect(session.prune({ targets: [{ entry: 'nobody', notice: 'x' }] })).rejects.toMatchObject({
      code: 'not-in-context',
    });
  });
});

describe('an edit', () => {
  it('replaces or leaves out one message; before it on the path the original is sent (pi 2.4)', async () => {
    const { session, store } = await begin();
    const [a, b] = await session.appendBatch([said('a'), answered('b'), said('c')]);
    const replacement = [{ type: 'text', origin: 'engine', text: 'B' }] as const;
    await session.edit({ target: b?.id ?? '', replacement });
    expect(texts(session)).toEqual(['a', 'B', 'c']);
    expect(session.context.items[1]?.message.role).toBe('assistant');
    await session.edit({ target: a?.id ?? '', replacement: null });
    expect(texts(session)).toEqual(['B', 'c']);
    expect(texts(await openSession({ store, id: 's' }))).toEqual(['B', 'c']);
    await session.edit({ target: b?.id ?? '', replacement: null });
    expect(texts(session)).toEqual(['c']);
    expect(texts({ context: await session.contextAt({ leaf: b?.id ?? null }) })).toEqual(['a', 'b']);
  });

  it('of what is not sent is refused', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    await session.edit({ target: a.id, replacement: null });
    await expect(session.edit({ target: a.id, replacement: null })).rejects.toMatchObject({ code: 'not-in-context' });
  });
});

describe('another head', () => {
  const system = (text: string): Message => ({ role: 'system', parts: [{ type: 'text', origin: 'engine', text }] });

  it('comes first without an epoch if nothing was sent yet', async () => {
    const { session } = await begin();
    expect(await session.changeHead({ messages: [system('one')] })).toBeUndefined();
    await session.append(said('a'));
    expect(texts(session)).toEqual(['one', 'a']);
  });

  it('takes the place of the one before, by reference, over a restart too', async () => {
    const { session, store } = await begin();
    await session.changeHead({ messages: [system('one')] });
    await session.append(said('a'));
    const epoch = await session.changeHead({ messages: [system('two'), system('three')] });
    await session.append(answered('b'));
    expect(texts(session)).toEqual(['two', 'three', 'a', 'b']);
    expect(JSON.stringify(epoch)).not.toContain('three');
    expect(texts(await openSession({ store, id: 's' }))).toEqual(['two', 'three', 'a', 'b']);
  });
});
