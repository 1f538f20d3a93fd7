import { describe, expect, test } from 'vitest';
import type { ModelFailure } from '../models/index.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, say } from './fixtures/messages.ts';
import { long, talk } from './fixtures/talk.ts';

const model = modelOf({ window: 10_000 });
const overflow = { kind: 'overflow', message: 'too long', retryable: true } as const satisfies ModelFailure;

describe('what a provider reports', () => {
  test('is taken as the size of what was sent', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('hello')] } });
    await session.report({ usage: { input: 1_000, cacheRead: 500 } });
    expect((await session.prepare({ model })).tokens).toBe(1_500);
  });

  const wild: Readonly<Record<string, unknown>> = {
    'nothing (pi 3.2)': 0,
    'less than it can be': 1,
    'more than it can be': 1e12,
    'no number': Number.NaN,
    infinity: Number.POSITIVE_INFINITY,
    'less than nothing': -5,
    text: '7',
  };
  test.each(Object.keys(wild))('as %s is not believed, and hurts nothing', async (name) => {
    const { session } = await begin();
    const { session: other } = await begin();
    for (let turn = 0; turn < 12; turn += 1) {
      const { bound, report } = await prepareTurn({ session, turn });
      const without = await prepareTurn({ session: other, turn });
      expect(report.snapshot.confirmed).toBe(0);
      expect(Math.abs(bound - without.bound)).toBeLessThan(without.bound / 50);
      await session.report({ usage: { input: wild[name] as number } });
    }
  });

  test('once as three times of what it is costs one compaction, not all bounds', async () => {
    const { session } = await begin();
    const opened: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const { tokens, report } = await prepareTurn({ session, turn });
      opened.push(report.opened.length);
      await session.report({ usage: { input: turn === 3 ? tokens * 3 : tokens } });
    }
    expect(opened.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4);
  });

  test('of a request before a compaction is not taken for one after it', async () => {
    const { session } = await begin();
    await talk({ session, turns: 4 });
    const { tokens } = await session.prepare({ model, turn: { messages: [say('now')] } });
    await session.compact({ model });
    const preview = await session.preview({ model });
    await session.report({ usage: { input: tokens } });
    expect((await session.prepare({ model })).tokens).toBe(preview.tokensBefore);
  });

  test('promise 7: is known after a restart, so that a restart compacts nothing', async () => {
    const { session, again } = await begin();
    let subject = session;
    for (let turn = 0; turn < 5; turn += 1) {
      const { tokens, report } = await prepareTurn({ session: subject, turn });
      expect(report.opened).toEqual([]);
      await subject.report({ usage: { input: tokens } });
      subject = await again();
    }
    const here = await session.session.reload().then(() => session.prepare({ model }));
    const there = await (await again()).prepare({ model });
    expect(there.items).toEqual(here.items);
    // This one has the reports of the other only as text of the log, and rounds once more.
    expect(Math.abs(there.tokens - here.tokens)).toBeLessThanOrEqual(1);
  });

  test('on a branch that was left says nothing of another', async () => {
    const { session, again } = await begin();
    await talk({ session, turns: 3 });
    const there = session.context.items[1]?.entry ?? null;
    const { tokens } = await session.prepare({ model, turn: { messages: [say('now')] } });
    await session.report({ usage: { input: tokens } });
    await session.session.rewind({ to: there });
    await talk({ session, turns: 2, from: 7 });
    const fresh = await (await again()).prepare({ model });
    expect(fresh.report.snapshot.confirmed).toBe(0);
    expect(fresh.tokens).toBe((await session.prepare({ model })).tokens);
  });
});

describe('an overflow', () => {
  test('that names a limit lowers ours, and the next request is below it, on every machine', async () => {
    const { session, again } = await begin();
    await talk({ session, turns: 5 });
    await session.prepare({ model, turn: { messages: [say('now')] } });
    await session.report({ failure: { ...overflow, limit: 5_000 } });
    expect((await session.prepare({ model })).bound).toBeLessThanOrEqual(5_000 * 0.85);
    const other = await again();
    expect((await other.preview({ model })).tokensBefore).toBeGreaterThan(0);
    expect((await other.prepare({ model })).report.budget.window).toBe(5_000);
  });

  test('that names a limit no model has is one that names none', async () => {
    for (const limit of [0, 1, -1, Number.NaN]) {
      const { session } = await begin();
      await talk({ session, turns: 3 });
      await session.report({ failure: { ...overflow, limit } });
      const { report } = await session.prepare({ model, turn: { messages: [say('now')] } });
      expect(report.budget.window).toBe(10_000);
    }
  });

  test('that names nothing makes the next request smaller, also far below the window, and is remembered if that helps', async () => {
    const wide = modelOf({ window: 200_000 });
    const { session, again } = await begin();
    const limits: number[] = [];
    session.on('limit', ({ window }) => void limits.push(window));
    await talk({ session, turns: 4, model: wide });
    const { tokens } = await session.prepare({ model: wide, turn: { messages: [say('now')] } });
    await session.report({ failure: overflow });
    const smaller = await session.prepare({ model: wide });
    expect(smaller.tokens).toBeLessThan(tokens * 0.85);
    expect(limits).toEqual([]);
    await session.report({ usage: { input: smaller.tokens } });
    expect(limits).toEqual([100_000]);
    expect((await (await again()).prepare({ model: wide })).report.budget.window).toBe(100_000);
  });

  test('cli#4663: again and again ends in an error that somebody sees; something new is tried again', async () => {
    const { session } = await begin();
    await talk({ session, turns: 3 });
    const turn = { messages: [say('now')], key: 'now' };
    await session.prepare({ model, turn });
    let attempts = 0;
    const failure = await (async () => {
      for (; attempts < 50; attempts += 1) {
        await session.report({ failure: overflow });
        await session.prepare({ model, turn });
      }
      return undefined;
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'still-too-long' });
    expect(attempts).toBeLessThanOrEqual(3);
    await expect(session.prepare({ model, turn: { messages: [say('else')] } })).resolves.toBeDefined();
  });
});

/** A question, and the long answer to the one before. */
async function prepareTurn({ session, turn }: { readonly session: EngineSession; readonly turn: number }) {
  if (turn > 0) await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
  return await session.prepare({ model, turn: { messages: [say(`question ${turn}`)] } });
}
