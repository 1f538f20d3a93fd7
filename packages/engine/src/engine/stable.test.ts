import { describe, expect, test } from 'vitest';
import { dialects, type Message } from '../message/index.ts';
import { generateSession, judge } from '../testing/index.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { bodyOf } from './fixtures/send.ts';
import { long } from './fixtures/talk.ts';
import type { Prepared } from './types.ts';

const model = modelOf({ window: 10_000 });
const reasons = ({ report }: Prepared) => report.opened.map(({ reason }) => reason);
const isLegal = (prepared: Prepared, dialect = model.dialect) =>
  judge({ dialect, body: bodyOf({ prepared, dialect }) }).legal;

describe('promise 7: bytes that were sent change only with an epoch', () => {
  test('a result that comes after its stand-in was sent opens one, and so on after a restart', async () => {
    for (const isRestarted of [false, true]) {
      const { session, again } = await begin();
      await session.prepare({ model, turn: { messages: [say('go')] } });
      await session.append({ type: 'message', message: call('a') });
      const first = await session.prepare({ model, turn: { messages: [say('stop')] } });
      await session.report({ usage: { input: first.tokens } });
      await session.append({ type: 'message', message: answer('stopped') });
      const subject = isRestarted ? await again() : session;
      expect(reasons(await subject.prepare({ model, turn: { messages: [say('wait')] } }))).toEqual([]);
      await subject.append({ type: 'message', message: result('a', 'late') });
      const late = await subject.prepare({ model, turn: { messages: [say('and?')] } });
      expect(reasons(late)).toEqual(['repair']);
      expect(JSON.stringify(late.items)).toContain('late');
      expect(isLegal(late)).toBe(true);
      expect(reasons(await subject.prepare({ model }))).toEqual([]);
    }
  });

  test('and what nobody chose is not undone', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('go')] } });
    await session.append({ type: 'message', message: call('a') });
    await session.prepare({ model, turn: { messages: [say('stop')] } });
    await session.append({ type: 'message', message: result('a', 'late') });
    expect(reasons(await session.prepare({ model }))).toEqual(['repair']);
    await expect(session.undo()).rejects.toMatchObject({ code: 'nothing-to-undo' });
  });

  test('a rewind opens none, as it sends nothing that was not sent', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('go')] } });
    await session.append({ type: 'message', message: answer('gone') });
    const place = session.session.head.leaf;
    await session.prepare({ model, turn: { messages: [say('there')] } });
    await session.session.rewind({ to: place });
    expect(reasons(await session.prepare({ model, turn: { messages: [say('here')] } }))).toEqual([]);
  });

  test('the same model in another dialect opens one', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('go')] } });
    const elsewhere = { ...model, dialect: 'gemini' } as const;
    expect(reasons(await session.prepare({ model: elsewhere }))).toEqual(['model']);
    expect(reasons(await session.prepare({ model: elsewhere }))).toEqual([]);
  });

  test('over a restart after every step', async () => {
    const { session, again } = await begin();
    let subject = session;
    let before: Prepared | undefined;
    let waiting: Message[] = [];
    const restart = async () => {
      const context = JSON.stringify(subject.context.items);
      subject = await again();
      expect(JSON.stringify(subject.context.items)).toBe(context);
    };
    for (const message of generateSession({ seed: 5, turns: 8, lines: 20 })) {
      if (message.role !== 'assistant') {
        waiting.push(message);
        continue;
      }
      const prepared = await subject.prepare({ model, turn: { messages: waiting } });
      if (before?.epoch === prepared.epoch) expect(prepared.items.slice(0, before.items.length)).toEqual(before.items);
      expect(isLegal(prepared)).toBe(true);
      before = prepared;
      waiting = [];
      await restart();
      await subject.report({ usage: { input: prepared.tokens } });
      await subject.append({ type: 'message', message });
      await restart();
    }
    expect(before?.epoch).not.toBeNull();
  });
});

describe('what changes every turn', () => {
  test.each(['head', 'tools', 'both'])('as %s does, costs an epoch a turn and nothing else', async (what) => {
    const { session } = await begin();
    const opened: string[][] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const head = [system(what === 'tools' ? 'Be brief.' : `It is ${turn} o'clock.`)];
      const tools = what === 'head' ? [] : [{ name: `tool_${turn}`, inputSchema: { type: 'object' } }];
      const prepared = await session.prepare({ model, head, tools, turn: { messages: [say(`question ${turn}`)] } });
      opened.push(reasons(prepared));
      expect(prepared.head).toEqual(head);
      expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
      await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
    }
    expect(opened[0]).toEqual([]);
    for (const one of opened.slice(1)) expect(one.filter((reason) => reason === 'head')).toHaveLength(1);
  });

  test('as the window does, never sends too much: it shrinks, grows and shrinks again', async () => {
    const { session } = await begin();
    for (const [turn, window] of [40_000, 40_000, 40_000, 5_000, 100_000, 40_000, 6_000, 4_000].entries()) {
      const target = modelOf({ window, name: `m${window}` });
      const prepared = await session.prepare({ model: target, turn: { messages: [say(`question ${turn}`)] } });
      expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
      expect(isLegal(prepared)).toBe(true);
      await session.append({ type: 'message', message: answer(long(`answer ${turn}`).repeat(3)) });
    }
  });

  test('as the provider does, is legal for each, with the thoughts of all in the log', async () => {
    const { session } = await begin();
    const all = dialects.flatMap((dialect, seed) => generateSession({ seed, turns: 3, thinking: dialect, lines: 5 }));
    for (const [turn, message] of all.entries()) {
      await session.append({ type: 'message', message });
      if (message.role === 'assistant') continue;
      const dialect = dialects[turn % dialects.length] ?? 'anthropic';
      const target = modelOf({ window: 20_000, dialect, name: dialect });
      const prepared = await session.prepare({ model: target });
      const rest = dialect === 'anthropic' ? { thinking: { type: 'adaptive' } } : {};
      expect(judge({ dialect, body: { ...bodyOf({ prepared, dialect }), ...rest } })).toEqual({ legal: true });
      expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
    }
  });
});

describe('what no provider takes', () => {
  test.each(dialects)('in a head or in the middle is mended for %s', async (dialect) => {
    const { session } = await begin();
    const target = modelOf({ window: 10_000, dialect });
    const head = [system(''), system('half \ud83d of a pair'), system('  ')];
    const empty: Message = { role: 'user', parts: [] };
    const messages = [say('a'), system('A note in the middle.'), empty, result('nobody', 'orphan'), say('')];
    const prepared = await session.prepare({ model: target, head, turn: { messages } });
    expect(judge({ dialect, body: bodyOf({ prepared, dialect }) })).toEqual({ legal: true });
    expect(prepared.head).toEqual([system('half \ufffd of a pair')]);
    expect(reasons(await session.prepare({ model: target, head }))).toEqual([]);
  });
});
