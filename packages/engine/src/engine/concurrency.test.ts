import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { ConflictError } from '../session/index.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, say } from './fixtures/messages.ts';
import { talk } from './fixtures/talk.ts';

const model = modelOf({ window: 10_000 });
const textOf = ({ parts }: Message) => parts.map((part) => ('text' in part ? part.text : part.type)).join('');
const beginnings = ({ context }: EngineSession) => context.items.map(({ message }) => textOf(message).slice(0, 10));

/** A session whose summaries are made while something else happens. */
async function beginBusy(): Promise<{ session: EngineSession; meanwhile: (happen: () => Promise<unknown>) => void }> {
  let happen: () => Promise<unknown> = async () => undefined;
  const { session } = await begin({
    summarizer: {
      strategy: 'slow',
      needsNoModel: true,
      summarize: () => happen().then(() => ({ text: 'S', short: 'S' })),
    },
  });
  return {
    session,
    meanwhile: (next) => {
      happen = next;
    },
  };
}

describe('while a summary is made', () => {
  test('what arrives stays as it is', async () => {
    const { session, meanwhile } = await beginBusy();
    await talk({ session, turns: 5 });
    meanwhile(() => session.append({ type: 'message', message: say('meanwhile') }));
    await session.compact({ model });
    expect(beginnings(session).at(-1)).toBe('meanwhile');
  });

  test('what arrives stays as it is, also where nothing else does (pinet #941)', async () => {
    const { session, meanwhile } = await beginBusy();
    await talk({ session, turns: 3 });
    await session.prepare({ model, turn: { messages: [say('last')] } });
    await session.append({ type: 'message', message: answer('z'.repeat(4_500)) });
    meanwhile(() => session.append({ type: 'message', message: say('meanwhile') }));
    await session.compact({ model });
    expect(beginnings(session)).toEqual(['The conver', 'meanwhile']);
  });

  test('a session that moved elsewhere is not compacted there (pi #9179)', async () => {
    const { session, meanwhile } = await beginBusy();
    await talk({ session, turns: 4 });
    const [first, second] = session.context.items;
    meanwhile(() => session.session.rewind({ to: second?.entry ?? null }));
    const { installed, reason } = await session.compact({ model });
    expect({ installed, reason }).toEqual({
      installed: false,
      reason: 'The conversation went on elsewhere while the summary was made.',
    });
    expect(session.context.items).toEqual([first, second]);
    meanwhile(async () => undefined);
    const { bound, report } = await session.prepare({ model, turn: { messages: [say('here')] } });
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
  });

  test('a second compaction waits for the first (pi #7370)', async () => {
    const { session } = await beginBusy();
    await talk({ session, turns: 5, model: modelOf({ window: 100_000 }) });
    const [one, two] = await Promise.all([session.compact({ model }), session.compact({ model })]);
    expect([one.installed, two.installed]).toEqual([true, false]);
  });

  test('a turn that comes during a compaction by hand is said once, also where it is tried again (pi #7370, #7086)', async () => {
    const { session } = await beginBusy();
    await talk({ session, turns: 5, model: modelOf({ window: 100_000 }) });
    const turn = { messages: [say('go on')], key: 'go on' };
    const [{ installed }, first] = await Promise.all([session.compact({ model }), session.prepare({ model, turn })]);
    expect(installed).toBe(true);
    const again = await session.prepare({ model, turn });
    expect(again.items).toEqual(first.items);
    expect(again.items.filter((message) => textOf(message) === 'go on')).toHaveLength(1);
  });
});

test('a summary of an earlier part stays when another part is compacted', async () => {
  const { session } = await begin();
  await talk({ session, turns: 3 });
  const ids = session.context.items.map(({ entry }) => entry ?? '');
  await session.compact({ model, from: ids[2] ?? '', to: ids[3] ?? '' });
  expect(beginnings(session)).toEqual(['question 0', 'answer 0 l', 'The conver', 'question 2', 'answer 2 l']);
  const { loss } = await session.compact({ model, from: ids[0] ?? '', to: ids[1] ?? '' });
  expect(beginnings(session)).toEqual(['The conver', 'The conver', 'question 2', 'answer 2 l']);
  expect(loss?.kept.engine.parts).toBe(1);
});

describe('two engines on one session', () => {
  test('the slower writer gets a conflict, has written nothing, and continues after reloading with what the other learned', async () => {
    const { session, again } = await begin();
    await talk({ session, turns: 2 });
    const other = await again();
    await other.prepare({ model, turn: { messages: [say('other')] } });
    await other.report({ failure: { kind: 'overflow', limit: 6_000, message: 'too long', retryable: true } });
    const turn = { messages: [say('mine')], key: 'mine' };
    await expect(session.prepare({ model, turn })).rejects.toBeInstanceOf(ConflictError);
    expect(beginnings(session)).not.toContain('mine');
    await session.session.reload();
    const { report, items } = await session.prepare({ model, turn });
    expect(report.budget.window).toBe(6_000);
    expect(items.map((item) => textOf(item)).slice(-2)).toEqual(['other', 'mine']);
  });

  test('both taking turns after every conflict lose nothing', async () => {
    const { session, again } = await begin();
    const engines = [session, await again(), await again()];
    const said: string[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const subject = engines[turn % engines.length] ?? session;
      const input = { model, turn: { messages: [say(`said ${turn}`)], key: `${turn}` } };
      await subject.prepare(input).catch(async (error: unknown) => {
        expect(error).toBeInstanceOf(ConflictError);
        await subject.session.reload();
        return await subject.prepare(input);
      });
      said.push(`said ${turn}`);
      await subject.append({ type: 'message', message: answer('x'.repeat(900)) });
    }
    const messages = await session.session.read({ types: ['message'] });
    const texts = messages.map((entry) => (entry.type === 'message' ? textOf(entry.message) : ''));
    expect(texts.filter((text) => text.startsWith('said'))).toEqual(said);
  });
});

describe('a session that went elsewhere', () => {
  const other = modelOf({ window: 10_000, name: 'other' });
  const tools = [{ name: 'ls', inputSchema: { type: 'object' } }];
  const reasons = async (session: EngineSession, input: Partial<Parameters<EngineSession['prepare']>[0]> = {}) =>
    (await session.prepare({ model, ...input })).report.opened.map(({ reason }) => reason);

  test('speaks to the model, and offers the tools, of where it is', async () => {
    const { session, again } = await begin();
    await talk({ session, turns: 2 });
    const place = session.context.items.at(-1)?.entry ?? null;
    expect(await reasons(session, { model: other, tools, turn: { messages: [say('there')] } })).toEqual(['model']);
    await session.session.rewind({ to: place });
    for (const subject of [session, await again()]) {
      await subject.session.reload();
      expect(await reasons(subject, { turn: { messages: [say('here')] } })).toEqual([]);
    }
    await session.session.reload();
    expect(await reasons(session, { model: other, tools, turn: { messages: [say('now there')] } })).toEqual(['model']);
    expect(await reasons(session, { model: other, tools })).toEqual([]);
  });

  test('comes back by undo to exactly what was sent, over a rewind and a compaction', async () => {
    const { session } = await begin();
    await talk({ session, turns: 3 });
    const { items } = await session.prepare({ model, turn: { messages: [say('now')] } });
    const { last } = session.session.head;
    await session.compact({ model });
    await session.session.rewind({ to: session.context.items.at(-2)?.entry ?? null });
    expect(session.session.head.last).toBeGreaterThan(last);
    await session.undo();
    await session.undo();
    expect((await session.prepare({ model })).items).toEqual(items);
  });

  test('a fork and a clone go on by themselves, with what was learned and what holds', async () => {
    const { session, store } = await begin();
    await talk({ session, turns: 3 });
    await session.report({ failure: { kind: 'overflow', limit: 7_000, message: 'too long', retryable: true } });
    await session.pin({ text: 'Never touch the database.' });
    for (const copy of [await session.session.fork(), await session.session.clone()]) {
      const { session: fresh } = await begin({ store, id: copy.id });
      await talk({ session: fresh, turns: 6 });
      const [compaction] = await fresh.session.read({ types: ['compaction'] });
      expect(compaction).toMatchObject({ details: { loss: { pins: [{ survived: true }] } } });
      expect((await fresh.prepare({ model })).report.budget.window).toBe(7_000);
    }
    expect(await session.session.read({ types: ['compaction'] })).toEqual([]);
  });
});

test('pi #11602: what was edited out of the conversation does not come back in a summary, unless that was undone', async () => {
  const { session } = await begin();
  await session.prepare({ model, turn: { messages: [say('the codename is ZEBRAFISH')] } });
  await session.append({ type: 'message', message: answer('understood') });
  const target = session.context.items[0]?.entry ?? '';
  await session.session.edit({
    target,
    replacement: [{ type: 'text', origin: 'human', text: 'the codename is gone' }],
  });
  await talk({ session, turns: 4 });
  const { summary } = await session.compact({ model });
  expect(summary).toContain('the codename is gone');
  expect(summary).not.toContain('ZEBRAFISH');
  await session.undo();
  await session.undo();
  expect((await session.compact({ model })).summary).toContain('ZEBRAFISH');
});
