import { describe, expect, test } from 'vitest';
import { shares, total } from '../tokens/index.ts';
import type { EngineEvent } from './events/event.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { say, system } from './fixtures/messages.ts';
import { talk } from './fixtures/talk.ts';
import { lossKinds } from './types.ts';

const model = modelOf({ window: 10_000 });
const roomy = modelOf({ window: 100_000 });

/** A session worth compacting, with what it tells of compactions. */
async function heard(turns = 6) {
  const { session } = await begin();
  const events: EngineEvent[] = [];
  session.onAny((event) => void (event.type.startsWith('compaction') && events.push(event)));
  await talk({ session, turns, model: roomy });
  return { session, events };
}

function ends(events: readonly EngineEvent[]): EngineEvent<'compactionComplete'>[] {
  return events.filter((event) => event.type === 'compactionComplete');
}

describe('the events of a compaction', () => {
  test('sessions.md 9.2: one by hand tells its beginning and its end, too, each once', async () => {
    const { session, events } = await heard();
    await session.compact({ model });
    expect(events.map(({ type, session: id }) => [type, id])).toEqual([
      ['compactionStart', session.id],
      ['compactionComplete', session.id],
    ]);
    expect(events[0]).toMatchObject({ trigger: 'manual', window: 10_000, model: 'test/test', messages: 12 });
  });

  test('cli#3625: what was removed is what was there less what is there, by every kind, and more than nothing', async () => {
    const { session, events } = await heard();
    await session.compact({ model });
    const [{ before, after, removed, success } = expect.unreachable()] = ends(events);
    expect(success).toBe(true);
    expect(removed.tokens).toBeGreaterThan(0);
    for (const share of shares) expect(before.shares[share] - after.shares[share]).toBe(removed.shares[share]);
    for (const kind of lossKinds) expect(before.parts[kind] - after.parts[kind]).toBe(removed.parts[kind]);
    for (const { tokens, shares: split } of [before, after, removed]) expect(total(split)).toBe(tokens);
    expect(after.messages).toBe(session.context.items.length);
  });

  test('cli#3867, cc#60973: its end says what the model no longer sees, in numbers and in a line', async () => {
    const { session, events } = await heard();
    const { loss } = await session.compact({ model });
    const [end] = ends(events);
    expect(end).toMatchObject({
      loss,
      short: expect.stringMatching(/messages/),
      entry: expect.any(String),
      checkpoint: 1,
    });
    expect(end?.loss?.lost.model.parts).toBeGreaterThan(0);
    await session.undo();
    await session.compact({ model });
    // What was taken back is no checkpoint any more.
    expect(ends(events).map(({ checkpoint }) => checkpoint)).toEqual([1, 1]);
  });

  test('where nothing came of it, nothing was removed, and it says why', async () => {
    const { session, events } = await heard(0);
    await session.compact({ model: roomy });
    const [end] = ends(events);
    expect(end).toMatchObject({ success: false, removed: { tokens: 0, messages: 0 } });
    expect(end?.reason).not.toBe('');
    expect(end?.error).toBeUndefined();
  });

  test('sessions.md 9.3: one that is broken off has an end as well, with the error', async () => {
    const { session, events } = await heard();
    await session.prepare({ model: roomy, head: [system('x'.repeat(20_000))], turn: { messages: [say('hi')] } });
    await expect(session.compact({ model })).rejects.toThrow();
    expect(ends(events).at(-1)).toMatchObject({ success: false, error: expect.stringContaining('may not be cut') });
  });

  test('a dry run emits no events', async () => {
    const { session, events } = await heard();
    await session.preview({ model });
    expect(events).toEqual([]);
  });
});

describe('events carry truncation, message counts and round counters (D19, editor.md 3.12)', () => {
  test('a cut by the guard says what was there before and after, by the ledger', async () => {
    const { session } = await begin({ hooks: { beforeCompaction: () => ({ cancel: 'never' }) } });
    await talk({ session, turns: 12, model: roomy });
    const events: EngineEvent[] = [];
    session.onAny((event) => void events.push(event));
    const { tokens, items } = await session.prepare({ model, turn: { messages: [say('now?')] } });
    const [cut = expect.unreachable()] = events.filter((event) => event.type === 'truncation');
    expect(cut).toMatchObject({ by: 'guard', limit: expect.any(Number) });
    expect(cut.before.tokens).toBeGreaterThan(cut.limit);
    expect(cut.after).toEqual({ tokens, messages: items.length });
    for (const of of ['tokens', 'messages'] as const) expect(cut.removed[of]).toBe(cut.before[of] - cut.after[of]);
    const usage = events.findLast((event) => event.type === 'usage');
    expect(usage).toMatchObject({ used: tokens, messageCount: items.length });
  });

  test('a compaction says where in the conversation it happened, the same at its beginning and its end', async () => {
    const { session, events } = await heard(6);
    await session.compact({ model });
    const counters = { turn: 6, rounds: 6, roundsSinceCompaction: 6, roundInTurn: 1, isDuringToolCalling: false };
    expect(events[0]).toMatchObject(counters);
    expect(events[1]).toMatchObject({ ...counters, id: (events[0] as EngineEvent<'compactionStart'>).id });
    await talk({ session, turns: 4, model: roomy });
    await session.compact({ model });
    expect(events[2]).toMatchObject({ rounds: 10, roundsSinceCompaction: 4, turn: 10 });
    expect(new Set(events.map((event) => ('id' in event ? event.id : ''))).size).toBe(2);
    await session.undo();
    await session.undo();
    await session.compact({ model });
    expect(events[4]).toMatchObject({ rounds: 10, roundsSinceCompaction: 10 });
  });
});
