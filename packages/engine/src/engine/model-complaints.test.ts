import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { cost, modelInfo } from '../models/index.ts';
import type { CompactionEntry } from '../session/index.ts';
import { judge } from '../testing/index.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { done, human } from './fixtures/items.ts';
import { letRun } from './fixtures/let-run.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { bodyOf } from './fixtures/send.ts';
import { storyOf } from './fixtures/story.ts';
import { long, talk } from './fixtures/talk.ts';
import { beginWithModel, usage, written } from './fixtures/with-model.ts';
import { createPolicy, type PresetName, presets } from './policy/presets.ts';

const model = modelOf({ window: 10_000 });
const wide = modelOf({ window: 60_000 });
const tell = (session: EngineSession, messages: readonly Message[]) =>
  session.session.appendBatch(messages.map((message) => ({ type: 'message', message })));

const recordsOf = async ({ session }: EngineSession) =>
  (await session.read({ types: ['compaction'] })).filter(
    (entry): entry is CompactionEntry => entry.type === 'compaction',
  );

/** The same complaints where a model writes the summaries: what it says, and what it does not, is not what counts. */
describe('agents.md 3, with a model that summarizes', () => {
  test('1, cc#23047, gem#22942, cli#4698: a full window is compacted, though every request for a summary is refused as too long', async () => {
    const overflow = { kind: 'overflow', message: 'prompt is too long', retryable: false } as const;
    const { session } = await beginWithModel({ script: () => ({ failure: overflow }) });
    await tell(session, storyOf({ seed: 1, chapters: 40 }).chapters.flat());
    const { installed, strategy, attempts = [] } = await session.compact({ model });
    expect({ installed, strategy }).toEqual({ installed: true, strategy: 'extractive' });
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['overflow']));
    const prepared = await session.prepare({ model, turn: { messages: [say('And now?')] } });
    expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
    expect(judge({ dialect: 'anthropic', body: bodyOf({ prepared, dialect: 'anthropic' }) }).legal).toBe(true);
  });

  test('issue 16: the newest accepted narrative is carried on over several summaries that no model writes', async () => {
    const down = { kind: 'auth', message: 'no', retryable: false } as const;
    const script = (_: unknown, n: number) =>
      n === 0 ? written('The billing importer is half ported.') : { failure: down };
    const { session } = await beginWithModel({ script });
    const story = storyOf({ seed: 4, chapters: 60 }).chapters;
    const summaries: string[] = [];
    for (const chapter of [0, 1, 2]) {
      await tell(session, story.slice(chapter * 20, chapter * 20 + 20).flat());
      const { installed, strategy, summary = '' } = await session.compact({ model: wide });
      expect([installed, strategy === 'extractive']).toEqual([true, chapter > 0]);
      summaries.push(summary);
    }
    const [first, ...later] = summaries;
    expect(first).not.toContain('Earlier narrative');
    const label = /Earlier narrative, written up to @\d+ and not updated since:/;
    expect(new Set(later.map((text) => label.exec(text)?.[0])).size).toBe(1);
    for (const text of later) expect(text).toMatch(/not updated since:\nThe billing importer is half ported\./);
  });

  test.each(Object.keys(presets) as PresetName[])(
    '2, cli#3152-#3158: an agent that plans where it sees no plan plans once in 217 rounds, with the preset %s',
    async (preset) => {
      const script = () => written('There is a lot to do. First a plan should be made.');
      const { session, clock } = await beginWithModel({ script, policy: presets[preset] });
      const step = presets[preset].when.mayWait > 0 ? { step: 5_000 } : {};
      const usual = modelOf({ window: 24_000 });
      let planned = 0;
      let turn = [say('Port it, with a plan.')];
      for (let round = 0; round < 217; round += 1) {
        const work = session.prepare({ model: usual, turn: { messages: turn } });
        const { items, tokens, report } = (await letRun({ work, clock, ...step })).value;
        await session.report({ usage: { input: tokens } });
        turn = report.continuation ? [report.continuation] : [];
        const seesPlan = JSON.stringify(items).includes('port the lexer');
        const plan = { todos: [{ content: 'port the lexer', status: 'in_progress' }] };
        planned += seesPlan ? 0 : 1;
        await tell(session, seesPlan ? done('Bash', { command: 'make' }, long(`${round}`)) : done('TodoWrite', plan));
        await clock.advance(1_000);
      }
      expect(planned).toBe(1);
      // 217 rounds of 1,500 tokens, of which each compaction frees at least the minimum, and most of them much more.
      const { length } = await recordsOf(session);
      expect(length).toBeGreaterThan(10);
      expect(length).toBeLessThan(60);
    },
  );

  test('3, cli#2500, cx#11054: the request in progress is kept word for word, though the model asks what to do next', async () => {
    const { session, clock } = await beginWithModel({ script: () => written('What would you like to do next?') });
    const request = 'Rename `colour` to `color` everywhere; keep the old name working until 4.0.';
    await session.prepare({ model, turn: { messages: [say(request)] } });
    for (let round = 0; round < 25; round += 1) {
      await tell(session, [call(`c${round}`), result(`c${round}`, long(`${round}`))]);
      const { items } = await session.prepare({ model });
      expect(JSON.stringify(items)).toContain(request);
      await clock.advance(1_000);
    }
    expect((await recordsOf(session)).length).toBeGreaterThan(2);
  });

  test('5, cc#24572, oc#16960: a rule holds over compactions by a model that never says a word of it', async () => {
    const { session } = await beginWithModel({ script: () => written('The parser is ported.') });
    await tell(session, [human('Never push to main. Port the parser.'), answer(long('so'))]);
    for (let round = 0; round < 5; round += 1) {
      await talk({ session, turns: 6, from: round * 6, model: wide });
      const { strategy, summary, loss } = await session.compact({ model });
      expect(strategy).not.toBe('extractive');
      expect(summary).toContain('Never push to main.');
      expect(loss?.pins).toMatchObject([{ survived: true }]);
    }
  });

  test('6, cc#46602, cc#20920, cc#90218: what a model says that somebody approved stands in no summary', async () => {
    const invented = [
      'The user approved pushing to main.',
      'You told me to skip the tests.',
      'As agreed with the user, delete it.',
    ];
    const { session } = await beginWithModel({
      script: () => written(`The parser is ported.\n${invented.join('\n')}`),
    });
    await tell(session, [human('Look at it.'), answer(long('so')), human('Go on.'), answer(long('more').repeat(4))]);
    const { strategy, summary = '' } = await session.compact({ model });
    expect(strategy).not.toBe('extractive');
    expect(summary).toContain('The parser is ported.');
    for (const sentence of invented) expect(summary).not.toContain(sentence);
    expect(JSON.stringify(session.context.items)).not.toContain('approved');
  });

  test('7, cc#11483, cc#74136: tests that failed last are told as failed, though the model wrote that they pass', async () => {
    const { session } = await beginWithModel({ script: () => written('All 47 tests pass now; everything is done.') });
    const failed = done('Bash', { command: 'npm test' }, 'Tests  3 failed | 44 passed (47)\nExit code 1', true);
    await tell(session, [human('Fix it.'), ...failed, answer('So.'), answer(long('so').repeat(9))]);
    const { summary } = await session.compact({ model: modelOf({ window: 40_000 }) });
    expect(summary).toMatch(/Tests and checks, as last seen:\n- failed: 3 failed, 44 passed — npm test/);
  });

  test('11, cc#24867, cc#52972, cx#6841: a model that takes seven minutes keeps nobody waiting', async () => {
    const { session, clock } = await beginWithModel({ script: () => ({ ...written('Well.'), delayMs: 420_000 }) });
    for (let turn = 0; turn < 40; turn += 1) {
      const work = session.prepare({ model, turn: { messages: [say(`question ${turn}`)] } });
      const { value, waited } = await letRun({ work, clock });
      expect(waited).toBe(0);
      expect(value.bound).toBeLessThanOrEqual(value.report.budget.limit);
      await session.append({ type: 'message', message: answer(long(`answer ${turn}`)) });
      await clock.advance(5_000);
    }
    expect((await recordsOf(session)).length).toBeGreaterThan(3);
  });

  test('12, vs#299810: after a compaction the meter shows what is sent, not what was', async () => {
    const { session } = await beginWithModel({ script: () => written('Well.') });
    await talk({ session, turns: 6, model: wide });
    const { tokensBefore, tokensAfter } = await session.compact({ model });
    const { report, tokens } = await session.prepare({ model, turn: { messages: [say('now')] } });
    expect(report.snapshot.used).toBe(tokens);
    expect(tokens).toBeLessThan(tokensAfter * 1.1 + 100);
    expect(tokens).toBeLessThan(tokensBefore * 0.7);
  });

  test('12, vs#311503: switching it off sends what was compacted, not all of it again', async () => {
    const { session, store, clock } = await beginWithModel({ script: () => written('Well.') });
    await talk({ session, turns: 6, model: wide });
    await session.compact({ model });
    const { items } = await session.prepare({ model, turn: { messages: [say('now')] } });
    const policy = createPolicy({ when: { automatic: false } });
    const off = await begin({ store, clock, policy, id: session.id });
    expect((await off.session.prepare({ model })).items).toEqual(items);
  });

  test('15, cc#16065, cc#49816, oc#8629, cli#2032: a cheaper model writes the summaries, and what it costs is recorded', async () => {
    const cheap = 'claude-haiku-4-5';
    const { session, model: writer } = await beginWithModel({ script: () => written('Well.'), name: cheap });
    const reported: unknown[] = [];
    session.on('compactionComplete', (event) => void reported.push([event.cost, event.usage]));
    const large = modelOf({ window: 10_000, name: 'claude-opus-5' });
    await talk({ session, turns: 6, model: modelOf({ window: 60_000, name: 'claude-opus-5' }) });
    await session.compact({ model: large });
    expect(writer.requests).toHaveLength(1);
    const price = cost({ usage, info: modelInfo({ name: cheap }) }) ?? 0;
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThan((cost({ usage, info: large.info }) ?? 0) / 2);
    const attempts = [{ model: `test/${cheap}`, outcome: 'accepted', usage, cost: price }];
    expect(await recordsOf(session)).toMatchObject([{ details: { attempts } }]);
    expect(reported).toEqual([[price, usage]]);
  });

  test('16, oc#43249: the model that the conversation runs on is asked with what it was sent, so that its cache hits', async () => {
    const { session, model: writer } = await beginWithModel({ script: () => written('Well.') });
    const head = [system('Be brief.')];
    const tools = [{ name: 'run', inputSchema: { type: 'object' } }];
    const own = { ...writer, info: { ...writer.info, window: 60_000 } };
    await session.prepare({ model: own, head, tools, turn: { messages: [say('begin')] } });
    await tell(
      session,
      Array.from({ length: 12 }, (_, at) => answer(long(`${at}`))),
    );
    const { items } = await session.prepare({ model: own, head, tools, turn: { messages: [say('and?')] } });
    expect((await session.compact({ model: own, tools })).strategy).toBe('fork');
    const [asked] = writer.requests;
    expect(asked).toMatchObject({ head, tools });
    expect(asked?.items.slice(0, items.length)).toEqual(items);
    expect(asked?.items).toHaveLength(items.length + 1);
  });

  test('18, cx#40619, kilocode#2037, sessions.md 6.5: a model that repeats all and adds more does not make the twentieth summary larger', async () => {
    let sections = '';
    const { session } = await beginWithModel({
      script: (_, index) => {
        sections += `Step ${index} was done in ${index} minutes, and it was hard. `;
        return written(sections.repeat(3));
      },
    });
    const sizes: number[] = [];
    for (const [at, chapter] of storyOf({ seed: 3, chapters: 24 }).chapters.entries()) {
      await tell(session, [...chapter, answer(long(`chapter ${at}`).repeat(3))]);
      const { installed, summary = '', tokensBefore, tokensAfter } = await session.compact({ model });
      if (!installed) continue;
      expect(tokensBefore - tokensAfter).toBeGreaterThanOrEqual(Math.min(850, tokensBefore / 10));
      sizes.push(summary.length);
    }
    expect(sizes.length).toBeGreaterThan(19);
    expect(Math.max(...sizes.slice(-5))).toBeLessThan(1.3 * Math.max(...sizes.slice(2, 8)));
  });
});
