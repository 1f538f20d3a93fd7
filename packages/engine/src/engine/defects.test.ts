import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { createEngine } from './engine.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { long, talk } from './fixtures/talk.ts';

const model = modelOf({ window: 10_000 });
const wide = modelOf({ window: 60_000 });
const textOf = ({ parts }: Message) => parts.map((part) => ('text' in part ? part.text : part.type)).join('');
const compactions = async ({ session }: EngineSession) => (await session.read({ types: ['compaction'] })).length;

/** Rounds of a call and a long result, without a word of the user. */
async function work(session: EngineSession, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await session.append({ type: 'message', message: call(`c${round}`) });
    await session.append({ type: 'message', message: result(`c${round}`, long('output')) });
  }
}

/** Defects of the originals (sessions.md 4, 5, 6 and 12) that this room could have, too. */
describe('sessions.md', () => {
  test('4.2, pi #6879, #7821, #8833: a tool loop is checked before every request, not only where the user speaks', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('Go through it.')] } });
    for (let round = 0; round < 30; round += 1) {
      await work(session, 1);
      const { bound, report } = await session.prepare({ model });
      expect(bound).toBeLessThanOrEqual(report.budget.limit);
    }
    expect(await compactions(session)).toBeGreaterThan(1);
  });

  test('4.3: what one model refused does not shrink what is sent to another', async () => {
    const { session } = await begin();
    await talk({ session, turns: 3 });
    const { items } = await session.prepare({ model, turn: { messages: [say('now')] } });
    await session.report({ failure: { kind: 'overflow', message: 'too long', retryable: true } });
    const prepared = await session.prepare({ model: modelOf({ window: 200_000, name: 'large' }) });
    expect(prepared.items).toEqual(items);
    expect(prepared.report.opened.map(({ reason }) => reason)).toEqual(['model']);
  });

  test('5.1: with nothing to compact no summary is requested, and nothing is appended', async () => {
    let asked = 0;
    const summarize = async () => {
      asked += 1;
      return { text: 'S', short: 'S' };
    };
    const { session } = await begin({ summarizer: { strategy: 'model', summarize } });
    expect(await session.compact({ model })).toMatchObject({ installed: false });
    await session.prepare({ model, turn: { messages: [say('hello')] } });
    const { last } = session.session.head;
    const reason = expect.stringMatching(/nothing/i);
    expect(await session.compact({ model })).toMatchObject({ installed: false, reason });
    expect([asked, session.session.head.last]).toEqual([0, last]);
  });

  test('5.4, pi #6326: what extensions say counts, and is compacted', async () => {
    const { session } = await begin();
    await talk({ session, turns: 1 });
    const parts = [{ type: 'text', origin: 'engine', text: 'x'.repeat(20_000) }] as const;
    await session.append({ type: 'custom_message', customType: 'ext', parts, display: true });
    const { bound, report, items } = await session.prepare({ model, turn: { messages: [say('now')] } });
    expect(report.opened.length).toBeGreaterThan(0);
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    expect(items.map(textOf).at(-1)).toBe('now');
  });

  test('5.6: what changes between two turns does not make the cut between them one through a turn', async () => {
    const { session } = await begin();
    await talk({ session, turns: 2, model: wide });
    await session.append({ type: 'thinking_change', level: 'high' });
    const last = say(long('huge').repeat(2));
    await session.prepare({ model: modelOf({ window: 60_000, name: 'other' }), turn: { messages: [last] } });
    expect((await session.compact({ model })).reason).toBe('4 messages become a summary, 1 stays.');
  });

  test('5.8: a single message larger than the window is reduced, and what follows it is answered', async () => {
    const { session } = await begin();
    const { items } = await session.prepare({ model, turn: { messages: [say(`BEGIN ${'x'.repeat(50_000)} END`)] } });
    expect(items.map(textOf)).toEqual([expect.stringMatching(/^BEGIN x+\n\[… .* …\]\nx+ END$/)]);
    await session.append({ type: 'message', message: answer('read') });
    const after = await session.prepare({ model, turn: { messages: [say('and?')] } });
    expect(after.items.map(textOf).at(-1)).toBe('and?');
  });

  test('6.6, pi #11058: what was asked for is in view also where the cut goes through a turn', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await session.prepare({ model: wide, turn: { messages: [say('Go through it.')] } });
    await work(session, 8);
    const { reason, summary } = await session.compact({ model, focus: 'the login bug' });
    expect(reason).toContain('The cut goes through a turn');
    expect(summary).toContain('the login bug');
    expect(summary).toContain('Go through it.');
  });

  test('6.12: two compactions with the same words are two, each with its own record', async () => {
    const summarize = async () => ({ text: 'same', short: 's' });
    const { session } = await begin({ summarizer: { strategy: 'same', needsNoModel: true, summarize } });
    for (const from of [0, 4]) {
      await talk({ session, turns: 4, from, model: wide });
      expect(await session.compact({ model })).toMatchObject({ installed: true, summary: 'same' });
    }
    const all = await session.session.read({ types: ['compaction'] });
    const records = all.map((entry) => (entry.type === 'compaction' ? JSON.stringify(entry.details) : ''));
    expect(new Set(records).size).toBe(2);
  });

  test('12.1, pi #1860: the size of what was sent before a compaction does not call for the next one', async () => {
    const { session } = await begin();
    await talk({ session, turns: 4 });
    const { tokens } = await session.prepare({ model, turn: { messages: [say('now')] } });
    await session.compact({ model });
    await session.report({ usage: { input: tokens } });
    expect((await session.prepare({ model })).report.opened).toEqual([]);
  });

  test('12.1, pi #1834, #8328: neither an overloaded provider nor one that never counts keeps a session from being compacted', async () => {
    const { session } = await begin();
    await talk({ session, turns: 2 });
    for (let turn = 0; turn < 12; turn += 1) {
      await session.prepare({ model, turn: { messages: [say(long(`question ${turn}`))] } });
      await session.report({ failure: { kind: 'rate', message: 'Overloaded', retryable: true } });
    }
    expect(await compactions(session)).toBeGreaterThan(0);
  });

  test('12.1, pi #10000: the first prompt is kept before anybody has answered', async () => {
    const { session, again } = await begin();
    await session.prepare({ model, turn: { messages: [say('first words')] } });
    expect((await again()).context.items.map(({ message }) => textOf(message))).toEqual(['first words']);
  });

  test('12.1, pi #6074: after a compaction the list ends with what the model is to answer', async () => {
    const { session } = await begin();
    await talk({ session, turns: 4 });
    await session.compact({ model });
    const { items } = await session.prepare({ model, turn: { messages: [say('go on')] } });
    expect(items.at(-1)).toEqual(say('go on'));
  });

  test('12.2, pi #2562, OpenClaw #103930: what stays is what it may be, in scripts of which a letter is a token, too', async () => {
    const engine = await createEngine({ store: createMemoryStore(), summarizer: byCharacter });
    const session = await engine.create();
    const chinese = '请不要修改公共接口，只修复失败的测试。'.repeat(20);
    const messages = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? say(`${at}${chinese}`) : answer(chinese)));
    await session.session.appendBatch(messages.map((message) => ({ type: 'message', message })));
    const { tokensAfter, installed } = await session.compact({ model });
    expect(installed).toBe(true);
    expect(tokensAfter).toBeLessThanOrEqual(4_250);
  });

  test('12.3, omp #9705: where eliding outputs is enough, nothing else is done', async () => {
    const { session } = await begin();
    const target = modelOf({ window: 40_000 });
    await session.prepare({ model: target, turn: { messages: [say('look')] } });
    for (const id of ['a', 'b', 'c', 'd']) {
      await session.append({ type: 'message', message: call(id) });
      await session.append({ type: 'message', message: result(id, id.repeat(9_000)) });
    }
    const { report } = await session.prepare({ model: target });
    expect(report.opened.map(({ reason }) => reason)).toEqual(['prune']);
  });

  test('12.4, cli#2895: instructions in the head stay in front, whatever is compacted', async () => {
    const { session, again } = await begin();
    const head = [system('You are the release agent.'), system('Speak in short sentences.')];
    await session.prepare({ model, head, turn: { messages: [say('begin')] } });
    await session.append({ type: 'message', message: answer('begun') });
    await talk({ session, turns: 12 });
    expect(await compactions(session)).toBeGreaterThan(0);
    expect((await (await again()).prepare({ model })).head).toEqual(head);
  });

  test('12.4, cli#3174: a window that was learned is not forgotten by a compaction', async () => {
    const { session } = await begin();
    await talk({ session, turns: 2 });
    await session.report({ failure: { kind: 'overflow', limit: 6_000, message: 'too long', retryable: true } });
    await talk({ session, turns: 6, from: 2 });
    await session.compact({ model });
    expect((await session.prepare({ model })).report.budget.window).toBe(6_000);
  });

  test('12.4, vs#311422: a second compaction in a row is no error', async () => {
    const { session } = await begin();
    await talk({ session, turns: 4 });
    await session.compact({ model });
    const { last } = session.session.head;
    expect(await session.compact({ model })).toMatchObject({ installed: false });
    expect(session.session.head.last).toBe(last);
  });

  test('12.4: where system and tools alone fill the window, that is said, and a smaller offer goes on from there', async () => {
    const { session } = await begin();
    const tools = [{ name: 'huge', description: 'd'.repeat(9_000), inputSchema: { type: 'object' } }];
    const prepared = session.prepare({ model, tools, turn: { messages: [say('hi')] } });
    await expect(prepared).rejects.toMatchObject({ code: 'budget-exceeded', part: 'The head and the tools' });
    expect((await session.prepare({ model, tools: [] })).items.map(textOf)).toEqual(['hi']);
  });
});
