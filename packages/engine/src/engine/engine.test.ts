import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { textsOf } from '../session/index.ts';
import type { Summarizer } from '../summarize/index.ts';
import { generateSession } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { talk } from './fixtures/talk.ts';
import { budgetOf, excerptOf } from './plan/budget.ts';
import { createPolicy } from './policy/presets.ts';
import { lossKinds } from './types.ts';

const model = modelOf({ window: 10_000 });
const textOf = ({ parts }: Message) => parts.map((part) => ('text' in part ? part.text : part.type)).join('');

describe('preparing a request', () => {
  test('sends what was said, with the head in front', async () => {
    const { session } = await begin();
    const head = [system('Be brief.')];
    const prepared = await session.prepare({ model, head, turn: { messages: [say('hello')] } });
    expect(prepared).toMatchObject({ head, items: [say('hello')], epoch: null });
    expect(prepared.report).toMatchObject({ opened: [], repairs: [], rebindsThinking: false });
  });

  test('a turn with a key is said once, however often it is prepared', async () => {
    const { session, again } = await begin();
    const turn = { messages: [say('once')], key: 'k' };
    await session.prepare({ model, turn });
    expect((await session.prepare({ model, turn })).items).toEqual([say('once')]);
    expect((await (await again()).prepare({ model, turn })).items).toEqual([say('once')]);
  });

  test('another head, other tools or another model open an epoch; the same do not', async () => {
    const { session } = await begin();
    const head = [system('Be brief.')];
    const tools = [{ name: 'ls', inputSchema: { type: 'object' } }];
    const opened = async (input: Partial<Parameters<EngineSession['prepare']>[0]>) =>
      (await session.prepare({ model, head, tools, ...input })).report.opened.map(({ reason }) => reason);
    expect(await opened({ turn: { messages: [say('a')] } })).toEqual([]);
    await session.append({ type: 'message', message: answer('b') });
    expect(await opened({ turn: { messages: [say('c')] } })).toEqual([]);
    expect(await opened({ head: [system('Be long.')] })).toEqual(['head']);
    expect(await opened({ head: [system('Be long.')] })).toEqual([]);
    expect(await opened({ head: [system('Be long.')], tools: [] })).toEqual(['head']);
    expect(
      await opened({ head: [system('Be long.')], tools: [], model: modelOf({ window: 10_000, name: 'b' }) }),
    ).toEqual(['model']);
    const { head: sent, items } = await session.prepare({ model: modelOf({ window: 10_000, name: 'b' }) });
    expect(sent).toEqual([system('Be long.')]);
    expect(items.map(textOf)).toEqual(['a', 'b', 'c']);
  });

  test('a head that is no system message is refused', async () => {
    const { session } = await begin();
    await expect(session.prepare({ model, head: [say('no')] })).rejects.toMatchObject({ code: 'bad-head' });
  });

  test('counts only what is new', async () => {
    const { session } = await begin();
    await talk({ session, turns: 3 });
    const { report } = await session.prepare({ model, turn: { messages: [say('more')] } });
    expect(report.touched).toBe(2);
  });
});

describe('a conversation that outgrows its window', () => {
  test('is compacted in time: the request fits, the newest words stay, the rest is a summary', async () => {
    const { session } = await begin();
    await talk({ session, turns: 12 });
    const prepared = await session.prepare({ model, turn: { messages: [say('and now?')] } });
    expect(prepared.bound).toBeLessThanOrEqual(8_500);
    expect(prepared.items.map(textOf).at(-1)).toBe('and now?');
    expect(textOf(prepared.items[0] ?? say(''))).toContain('<summary>');
    const [entry] = await session.session.read({ types: ['compaction'] });
    expect(entry).toMatchObject({ trigger: 'budget', details: { rung: 'stub', why: expect.any(String) } });
  });

  test('another machine sends the same bytes', async () => {
    const { session, again } = await begin();
    await talk({ session, turns: 12 });
    const here = await session.prepare({ model, turn: { messages: [say('and now?')], key: 'k' } });
    const there = await (await again()).prepare({ model, turn: { messages: [say('and now?')], key: 'k' } });
    expect(JSON.stringify(there.items)).toBe(JSON.stringify(here.items));
    expect(there.epoch).toBe(here.epoch);
  });

  test('pi #2608: over ten compactions in a row every message is sent or summarized, and none is lost', async () => {
    const { session } = await begin();
    let compactions = 0;
    session.on('compactionComplete', ({ installed }) => {
      compactions += installed ? 1 : 0;
    });
    for (let turn = 0; compactions < 10; turn += 1) {
      await talk({ session, turns: 1, from: turn });
      expect(turn).toBeLessThan(200);
    }
    const path = await session.session.path();
    const [newest] = path.filter(({ type }) => type === 'compaction').slice(-1);
    const first = path.find(({ id }) => newest?.type === 'compaction' && id === newest.firstKeptId);
    const said = path.filter(({ type }) => type === 'message');
    const sent = new Set(session.context.items.map(({ entry }) => entry));
    for (const entry of said) expect(sent.has(entry.id) || entry.handle < (first?.handle ?? 0)).toBe(true);
    expect(said.map((entry) => textsOf(entry)[0]?.text.split(' ').slice(0, 2).join(' '))).toEqual(
      said.map((_, index) => `${index % 2 === 0 ? 'question' : 'answer'} ${Math.floor(index / 2)}`),
    );
  });

  test('a single message larger than the window is cut to head, tail and handle', async () => {
    const { session } = await begin();
    const text = `BEGIN ${'x'.repeat(30_000)} END`;
    const { items } = await session.prepare({ model, turn: { messages: [say(text)] } });
    expect(textOf(items[0] ?? say(''))).toMatch(
      /^BEGIN x+\n\[… \d+ characters left out; recall @2 for all of it …\]\nx+ END$/,
    );
    expect((await session.recall({ handle: '@2' })).text).toBe(text);
  });

  test('nothing happens unasked where the policy says so, until the window forces it', async () => {
    const { session } = await begin({ policy: createPolicy({ when: { automatic: false, threshold: 0.2 } }) });
    await talk({ session, turns: 4 });
    expect(await session.session.read({ types: ['compaction'] })).toEqual([]);
    await talk({ session, turns: 8 });
    expect(await session.session.read({ types: ['compaction'] })).not.toEqual([]);
  });
});

describe('compacting by hand', () => {
  test('what nothing forces uses the whole target, however loose our count is; what must fit leaves less', async () => {
    const filling = async ({ budget }: { readonly budget: number }) => ({ text: 'S'.repeat(budget), short: '' });
    const summarizer = { strategy: 'filling', needsNoModel: true, summarize: filling } as const;
    const { session } = await begin({ summarizer });
    await talk({ session, turns: 12, model: modelOf({ window: 100_000 }) });
    const { threshold } = budgetOf({ window: 10_000 });
    const target = excerptOf({ threshold, head: 0, isByHand: true });
    const { tokensAfter } = await session.preview({ model });
    expect(tokensAfter).toBeGreaterThan(target * 0.9);
    expect(tokensAfter).toBeLessThanOrEqual(target);
    const { report } = await session.prepare({ model });
    expect(report.compaction?.tokensAfter).toBeLessThanOrEqual(tokensAfter);
  });

  test('a short summary of another program is replaced by one that is drawn from all of the log, once', async () => {
    const seen: number[] = [];
    const summarizer: Summarizer = {
      strategy: 'filling',
      needsNoModel: true,
      summarize: async ({ items, budget }) => {
        seen.push(items.length);
        return { text: 'S'.repeat(budget), short: '' };
      },
    };
    const { session } = await begin({ summarizer });
    const wide = modelOf({ window: 100_000 });
    await talk({ session, turns: 30, model: wide });
    const kept = session.context.items.at(-8)?.entry ?? expect.unreachable();
    const foreign = { summary: 'x'.repeat(4_000), firstKeptId: kept, tokensBefore: 0, trigger: 'auto' };
    await session.session.compact({ ...foreign, model: wide.id });
    const done = await session.compact({ model: wide });
    expect(done).toMatchObject({ installed: true });
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore * 0.9);
    expect(seen.at(-1)).toBeGreaterThan(40);
    expect(await session.compact({ model: wide })).toMatchObject({ installed: false });
  });

  test('a dry run tells what would be done and writes nothing', async () => {
    const { session } = await begin();
    await talk({ session, turns: 6 });
    const { last } = session.session.head;
    const preview = await session.preview({ model });
    expect(session.session.head.last).toBe(last);
    const done = await session.compact({ model });
    expect(preview).toMatchObject({
      installed: false,
      tokensAfter: done.tokensAfter,
      summary: done.summary,
      cut: done.cut,
    });
    expect(done).toMatchObject({ installed: true, strategy: 'stub' });
    expect([preview.worthwhile, done.worthwhile]).toEqual([true, true]);
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore);
  });

  test('promise 3: what frees too little is not installed, and the reason says so', async () => {
    const { session } = await begin();
    await talk({ session, turns: 5 });
    const { last } = session.session.head;
    const [first] = session.context.items.filter(({ message }) => textOf(message).startsWith('question'));
    const outcome = await session.compact({ model, from: first?.entry ?? '', to: first?.entry ?? '' });
    expect(outcome).toMatchObject({
      installed: false,
      worthwhile: false,
      reason: expect.stringMatching(/^Nothing would be gained/),
    });
    expect(session.session.head.last).toBe(last);
  });

  test('in a window that the head alone fills is an error that names it', async () => {
    const { session } = await begin();
    const large = modelOf({ window: 20_000 });
    await session.prepare({ model: large, head: [system('x'.repeat(5_000))], turn: { messages: [say('hi')] } });
    const { last } = session.session.head;
    await expect(session.compact({ model: modelOf({ window: 4_000 }) })).rejects.toMatchObject({
      code: 'budget-exceeded',
      part: 'The head and the tools',
    });
    expect(session.session.head.last).toBe(last);
  });

  test('reads what was cut at birth whole, so that the lines it names are those that recall finds', async () => {
    const seen: string[] = [];
    const { session } = await begin({
      summarizer: {
        strategy: 'reader',
        async summarize({ items }) {
          for (const { message } of items) seen.push(JSON.stringify(message));
          return { text: 'S', short: 'S' };
        },
      },
    });
    await session.prepare({ model, turn: { messages: [say('look')] } });
    await session.append({ type: 'message', message: call('a') });
    const output = result('a', 'z'.repeat(20_000));
    await session.append({ type: 'message', message: output });
    await session.append({ type: 'message', message: answer('done') });
    await session.compact({ model });
    expect(seen).toContain(JSON.stringify(output));
  });

  test('is worth it in a window that is hardly filled, where a tenth of the window is more than there is', async () => {
    const { session } = await begin();
    await talk({ session, turns: 4 });
    const [from, to] = [0, 5].map((index) => session.context.items[index]?.entry ?? '');
    const done = await session.compact({ model: modelOf({ window: 1_000_000 }), from: from ?? '', to: to ?? '' });
    expect(done).toMatchObject({ installed: true });
    expect(done.tokensBefore).toBeLessThan(85_000);
  });

  test('of a chosen range replaces that and nothing else', async () => {
    const { session } = await begin();
    const wide = modelOf({ window: 40_000 });
    await talk({ session, turns: 6, model: wide });
    const before = session.context.items;
    const ids = before.map(({ entry }) => entry ?? '');
    const first = await session.compact({ model, from: ids[2] ?? '', to: ids[5] ?? '' });
    const sent = () => session.context.items.map(({ message }) => textOf(message).slice(0, 10));
    expect(sent().slice(0, 4)).toEqual(['question 0', 'answer 0 l', 'The conver', 'question 3']);
    expect(session.context.items.slice(3)).toEqual(before.slice(6));
    const second = await session.compact({ model, from: ids[8] ?? '', to: ids[9] ?? '' });
    expect(sent().filter((text) => text === 'The conver')).toHaveLength(2);
    expect(first.summary).toContain('question 1');
    expect(second.summary).toContain('question 4');
    expect(second.summary).not.toContain('question 1');
    await expect(session.compact({ model, from: 'nowhere' })).rejects.toMatchObject({ code: 'not-in-context' });
  });

  test('promise 5: undo sends exactly what was sent before, redo what was sent after', async () => {
    const { session } = await begin();
    await talk({ session, turns: 6 });
    const before = JSON.stringify(session.context.items);
    await session.compact({ model });
    const after = JSON.stringify(session.context.items);
    await session.undo();
    expect(JSON.stringify(session.context.items)).toBe(before);
    await session.redo();
    expect(JSON.stringify(session.context.items)).toBe(after);
  });

  test('undo holds: nothing is compacted unasked, over a restart too, until the window forces it', async () => {
    const policy = createPolicy({ when: { threshold: 0.2 } });
    const { session, again } = await begin({ policy });
    await talk({ session, turns: 3 });
    expect(await session.session.read({ types: ['compaction'] })).toHaveLength(1);
    await session.undo();
    const reopened = await again();
    const { report } = await reopened.prepare({ model, turn: { messages: [say('go on')] } });
    expect(report.opened).toEqual([]);
    await talk({ session: reopened, turns: 6 });
    expect(await reopened.session.read({ types: ['compaction'] })).not.toHaveLength(1);
  });
});

describe('the loss report', () => {
  test('what is kept and what is lost add up to what was there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 6 }), async (seed, turns) => {
        const { session } = await begin();
        const messages = generateSession({ seed, turns, thinking: 'anthropic' });
        await session.session.appendBatch(messages.map((message) => ({ type: 'message', message })));
        const { loss } = await session.compact({ model: modelOf({ window: 12_000 }) });
        if (!loss) return;
        for (const kind of lossKinds) {
          expect(loss.kept[kind].parts + loss.lost[kind].parts).toBe(loss.before[kind].parts);
          expect(loss.kept[kind].chars + loss.lost[kind].chars).toBe(loss.before[kind].chars);
        }
      }),
      runs(100),
    );
  });

  test('says which pinned rules survived', async () => {
    const { session } = await begin();
    await session.pin({ text: 'Never touch the database.' });
    await talk({ session, turns: 6 });
    const { loss, summary } = await session.compact({ model });
    expect(loss?.pins).toEqual([{ text: 'Never touch the database.', survived: true }]);
    expect(summary).toContain('Never touch the database.');
  });
});

test('results of calls in progress stay with their calls', async () => {
  const { session } = await begin();
  await talk({ session, turns: 4 });
  await session.prepare({ model, turn: { messages: [say('look')] } });
  await session.append({ type: 'message', message: call('a', 'b') });
  await session.append({ type: 'message', message: result('b', 'y'.repeat(3_000)) });
  await session.append({ type: 'message', message: result('a', 'z'.repeat(3_000)) });
  const { items } = await session.prepare({ model });
  expect(items.slice(-3).map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool']);
});

test('C1: a result that would fill half the window is cut when it is first sent, without an epoch, and can be recalled', async () => {
  const { session, again } = await begin();
  await session.prepare({ model, turn: { messages: [say('look')] } });
  await session.append({ type: 'message', message: call('a') });
  const text = `BEGIN ${'z'.repeat(20_000)} END`;
  const { handle } = await session.append({ type: 'message', message: result('a', text) });
  expect(session.context.epoch).toBeNull();
  const sent = JSON.stringify(session.context.items.at(-1)?.message);
  expect(sent.length).toBeLessThan(6_000);
  expect(sent).toMatch(new RegExp(`BEGIN z+.*recall @${handle} for all of it.*z+ END`));
  expect((await session.recall({ handle: `@${handle}` })).text).toBe(text);
  expect((await again()).context.items).toEqual(session.context.items);
});
