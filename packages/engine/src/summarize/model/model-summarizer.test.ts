import { describe, expect, test } from 'vitest';
import { done, human, itemsOf, model as says } from '../../engine/fixtures/items.ts';
import { system } from '../../message/index.ts';
import type { Model } from '../../models/index.ts';
import { createClock, type ScriptedAnswer, scriptedModel } from '../../testing/index.ts';
import { createExtractiveSummarizer } from '../in-worker.ts';
import type { SummaryInput } from '../summarizer.ts';
import { createModelSummarizer } from './model-summarizer.ts';
import { promptVersion } from './prompts/version.ts';

const count = (text: string) => Math.ceil(text.length / 4);
const last = createExtractiveSummarizer({ worker: false });
const items = itemsOf(
  human('Never push to main. The build of the parser is red.'),
  done('bash', { command: 'npm test' }, `FAIL src/parser.test.ts\nexpected 41, got 42\n${'log line '.repeat(300)}`),
  says(`The lexer skips a line; I fix src/lexer.ts. ${'More of it. '.repeat(200)}`),
);
const input: SummaryInput = { items, kept: [], budget: 2_000, pins: [{ text: 'Never push to main.', from: '@1.1' }] };
const good = '<analysis>x</analysis><summary><title>Parser</title>\n## Overview\nThe narrative of a model.</summary>';
const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };

function liveFor(model: Model): SummaryInput {
  const head = [system('You are an agent.')] as const;
  const messages = items.map(({ message }) => message);
  const tools = [{ name: 'bash', inputSchema: { type: 'object' } }];
  return { ...input, live: { head, items: messages, tools, model, covers: messages.length } };
}

const scripted = (...script: ScriptedAnswer[]) => scriptedModel({ script, name: 'claude-opus-5' });
const summarizerOf = (model: Model, more: object = {}) =>
  createModelSummarizer({ models: [model], last, count, random: () => 0, ...more });

describe('strategies', () => {
  test('uses the fork if possible, and adds the known facts', async () => {
    const model = scripted({ text: good, usage });
    const summary = await summarizerOf(model).summarize(liveFor(model));
    expect(summary).toMatchObject({ strategy: 'fork', title: 'Parser', details: { prompt: promptVersion } });
    expect(summary.text).toContain('The narrative of a model.');
    expect(summary.text).toContain('- Never push to main. (@1.1)');
    expect(summary.text).toContain('expected 41, got 42');
    expect(summary.narrative).toMatchObject({ sections: { overview: 'The narrative of a model.' } });
    expect(summary.attempts).toMatchObject([
      { strategy: 'fork', outcome: 'accepted', usage, model: 'test/claude-opus-5' },
    ]);
    expect(model.requests[0]?.options.purpose).toBe('conversation-compaction');
  });

  test('tries one strategy after another, and records the cost of each', async () => {
    const model = scripted(
      { toolCalls: [{ name: 'bash' }], usage },
      { text: '<summary>half', reason: 'length', usage },
      { text: good, usage },
    );
    const { strategy, attempts } = await summarizerOf(model).summarize(liveFor(model));
    expect(strategy).toBe('simple');
    expect(attempts?.map((attempt) => [attempt.strategy, attempt.outcome])).toEqual([
      ['fork', 'calls-tools'],
      ['full', 'cut-off'],
      ['simple', 'accepted'],
    ]);
    for (const { cost } of attempts ?? []) expect(cost).toBeCloseTo((1_000 * 5 + 100 * 25) / 1e6);
    const [fork, full, simple] = model.requests;
    expect(fork?.options.toolChoice).toBeUndefined();
    expect(full?.options.toolChoice).toBe('none');
    expect(full?.tools).toHaveLength(1);
    expect(simple?.tools).toEqual([]);
    expect(simple?.items).toHaveLength(1);
  });

  test.each([
    ['full', ['full', 'simple']],
    ['simple', ['simple']],
  ] as const)('begins with %s if the mode says so', async (mode, expected) => {
    const model = scripted(...expected.slice(1).map(() => ({ text: 'no' })), { text: good });
    const { attempts } = await summarizerOf(model, { mode }).summarize(liveFor(model));
    expect(attempts?.map(({ strategy }) => strategy)).toEqual(expected);
  });

  test('summarizes everything again if the earlier summary covers it all', async () => {
    const model = scripted({ text: good });
    const previous = { narrative: { sections: { overview: 'Before.' } }, to: 99 };
    await summarizerOf(model, { mode: 'simple' }).summarize({ ...input, previous });
    const asked = JSON.stringify(model.requests);
    expect(asked).toContain('The build of the parser is red.');
    expect(asked).not.toContain('Before.');
  });

  test('is not attributed to a model if rules leave no room for the narrative', async () => {
    const model = scripted({ text: good });
    const pins = [{ text: 'Never push to main. '.repeat(60) }];
    const summary = await summarizerOf(model, { mode: 'simple' }).summarize({ ...input, pins, budget: 300 });
    expect(summary.narrative).toBeUndefined();
    expect(summary).toMatchObject({ strategy: 'extractive', attempts: [{ outcome: 'accepted' }] });
    expect(summary.details).not.toHaveProperty('prompt');
  });

  test('may choose the mode by trigger', async () => {
    const model = scripted({ text: good });
    const mode = ({ trigger }: { trigger: string | undefined }) => (trigger === 'overflow' ? 'simple' : 'auto');
    const { strategy } = await summarizerOf(model, { mode }).summarize({ ...liveFor(model), trigger: 'overflow' });
    expect(strategy).toBe('simple');
  });

  test('splits a record larger than the window, in a bounded number of calls, and merges the parts', async () => {
    const many = itemsOf(...Array.from({ length: 4_000 }, (_, at) => says(`Step ${at}: ${'value '.repeat(60)}`)));
    const model = scriptedModel({
      window: 12_000,
      script: ({ items: [message] }) => {
        const [part] = message?.parts ?? [];
        const text = part?.type === 'text' ? part.text : '';
        expect(text.length / 4).toBeLessThan(12_000);
        return { text: text.includes('<part-summary>') ? good : '<summary>## Progress\nA piece.</summary>', usage };
      },
    });
    const { strategy, attempts, text } = await summarizerOf(model).summarize({ ...input, items: many });
    expect(strategy).toBe('chunked');
    expect(text).toContain('The narrative of a model.');
    expect(attempts?.filter(({ outcome }) => outcome === 'part').length).toBeGreaterThan(2);
    expect(model.requests.length).toBeLessThanOrEqual(13);
  });

  test('pi #1796: splits by the limit that a provider reports on overflow', async () => {
    const failure = { kind: 'overflow', message: 'too long', retryable: false, limit: 4_000 } as const;
    const many = itemsOf(...Array.from({ length: 40 }, (_, at) => says(`Step ${at}: ${'value '.repeat(60)}`)));
    const model = scriptedModel({
      script: ({ items: [message] }, index) => {
        if (index === 0) return { failure };
        const [part] = message?.parts ?? [];
        return {
          text: part?.type === 'text' && part.text.includes('<part-summary>') ? good : '<summary>A piece.</summary>',
        };
      },
    });
    const { attempts = [] } = await summarizerOf(model, { mode: 'simple' }).summarize({ ...input, items: many });
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      'overflow',
      ...Array(attempts.length - 2).fill('part'),
      'accepted',
    ]);
    expect(attempts.length).toBeGreaterThan(3);
  });
});

describe('a model that', () => {
  const ways: Readonly<Record<string, ScriptedAnswer>> = {
    'answers nothing': { text: '' },
    'calls tools': { toolCalls: [{ name: 'bash' }] },
    'returns more than it got': { text: `<summary>${'word '.repeat(90_000)}</summary>` },
    'is cut off': { text: '<summary>half', reason: 'length' },
    refuses: { reason: 'refused' },
    'fails for good': { failure: 'auth' },
    'finds it invalid': { failure: 'invalid' },
    'continues the work': { text: 'Now I run the tests.' },
    pauses: { reason: 'paused' },
    'invents an approval': { text: '<summary>The user approved the release.</summary>' },
  };
  test.each(Object.entries(ways))('%s is replaced by the extractive summarizer', async (_, answer) => {
    const model = scriptedModel({ script: () => answer });
    const summary = await summarizerOf(model).summarize(liveFor(model));
    const { attempts, ...rest } = summary;
    expect(rest).toEqual({ ...(await last.summarize(input)), strategy: 'extractive' });
    expect(attempts?.length).toBeGreaterThan(0);
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });

  test('D12: refuses is called once more, and then with the next strategy', async () => {
    const model = scripted({ reason: 'refused' }, { reason: 'refused' }, { text: good });
    const { attempts } = await summarizerOf(model).summarize(liveFor(model));
    expect(attempts?.map((attempt) => `${attempt.strategy} ${attempt.outcome}`)).toEqual([
      'fork refused',
      'fork refused',
      'full accepted',
    ]);
    expect(model.requests[1]?.items).toEqual(model.requests[0]?.items);
  });

  test('stalls times out', async () => {
    const clock = createClock();
    const model = scriptedModel({ clock, script: () => ({ text: good, delayMs: 1e9 }) });
    const pending = summarizerOf(model, { clock, limits: { timeout: 10_000, deadline: 25_000 } }).summarize(
      liveFor(model),
    );
    for (let step = 0; step < 4; step += 1) await clock.advance(10_000);
    const { strategy, attempts } = await pending;
    expect(strategy).toBe('extractive');
    expect(attempts?.map(({ outcome, ms }) => `${outcome} ${ms}`)).toEqual(['late 10000', 'late 10000', 'late 5000']);
  });

  test('is slow gets the configured time', async () => {
    const clock = createClock();
    const model = scriptedModel({ clock, script: [{ text: good, delayMs: 9_000 }] });
    const pending = summarizerOf(model, { clock, limits: { timeout: 10_000 } }).summarize(liveFor(model));
    await clock.advance(9_000);
    expect(await pending).toMatchObject({ strategy: 'fork', attempts: [{ outcome: 'accepted', ms: 9_000 }] });
  });

  test('is rate limited is retried after the requested delay or a backoff, a limited number of times (cli#4663)', async () => {
    const clock = createClock();
    const rate = { kind: 'rate', message: 'slow down', retryable: true } as const;
    const model = scriptedModel({
      clock,
      script: [{ failure: { ...rate, delayMs: 7_000 } }, { failure: rate }, { failure: rate }],
    });
    const asked: number[] = [];
    const heard: Model = {
      ...model,
      stream: (request) => {
        asked.push(clock.now() % 1e6);
        return model.stream(request);
      },
    };
    const pending = summarizerOf(heard, { clock }).summarize(liveFor(model));
    await clock.advance(60_000);
    const { strategy, attempts } = await pending;
    const [first = 0, second = 0, third = 0, ...rest] = asked;
    expect([second - first, third - second, rest]).toEqual([7_000, 4_000, []]);
    expect({ strategy, outcomes: attempts?.map(({ outcome }) => outcome) }).toEqual({
      strategy: 'extractive',
      outcomes: ['failed', 'failed', 'failed'],
    });
  });

  test('requests a delay beyond the deadline is not retried', async () => {
    const clock = createClock();
    const rate = { kind: 'rate', message: 'later', retryable: true, delayMs: 50_000 } as const;
    const model = scriptedModel({ script: () => ({ failure: rate }) });
    const { attempts } = await summarizerOf(model, { clock, limits: { deadline: 40_000 } }).summarize(liveFor(model));
    expect(attempts?.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test('throws against its contract counts as failed, and its key is masked', async () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    const model: Model = {
      ...scripted(),
      stream: () => {
        throw new Error(`no route for ${key}`);
      },
    };
    const { strategy, attempts } = await summarizerOf(model).summarize(liveFor(model));
    expect(strategy).toBe('extractive');
    expect(attempts?.[0]).toMatchObject({ outcome: 'failed', why: 'no route for [key]' });
  });
});

describe('aborting', () => {
  test('takes effect at once, also with a model that ignores the signal, and during a backoff', async () => {
    const clock = createClock();
    const rate = { kind: 'rate', message: 'slow down', retryable: true } as const;
    const deaf: Model = {
      ...scripted(),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
    };
    for (const model of [deaf, scriptedModel({ clock, script: () => ({ failure: rate }) })]) {
      const stop = new AbortController();
      const pending = summarizerOf(model, { clock }).summarize({ ...liveFor(model), signal: stop.signal });
      await clock.advance(100);
      stop.abort(new Error('never mind'));
      await expect(pending).rejects.toThrow('never mind');
    }
    const before = summarizerOf(deaf).summarize({ ...input, signal: AbortSignal.abort(new Error('never mind')) });
    await expect(before).rejects.toThrow('never mind');
  });
});

describe('D17: candidates', () => {
  const conversation = scriptedModel({ name: 'claude-opus-5', script: [] });
  const small = () => scriptedModel({ name: 'small', script: [{ text: good }] });

  test('are tried in order; unreachable ones are skipped', async () => {
    const down = scriptedModel({ name: 'down', script: () => ({ failure: 'quota' }) });
    const next = small();
    const summarizer = createModelSummarizer({ models: [down, { model: next }], last, count });
    const { attempts } = await summarizer.summarize(liveFor(conversation));
    expect(attempts?.map(({ model, strategy, outcome }) => `${model} ${strategy} ${outcome}`)).toEqual([
      'test/down full failed',
      'test/small full accepted',
    ]);
    expect(down.requests).toHaveLength(1);
  });

  test('are each tried once, and distinguished by identity, not by name', async () => {
    const [down, next] = [scriptedModel({ name: 'small', script: () => ({ failure: 'quota' }) }), small()];
    const models = [down, { model: down }, { model: () => down }, next];
    const { attempts } = await createModelSummarizer({ models, last, count }).summarize(liveFor(conversation));
    expect(attempts?.map(({ model, outcome }) => `${model} ${outcome}`)).toEqual([
      'test/small failed',
      'test/small accepted',
    ]);
    expect([down.requests.length, next.requests.length]).toEqual([1, 1]);
  });

  test('are tried instead of a long wait', async () => {
    const rate = { kind: 'rate', message: 'later', retryable: true, delayMs: 31_000 } as const;
    const busy = scriptedModel({ name: 'busy', script: () => ({ failure: rate }) });
    const summarizer = createModelSummarizer({ models: [busy, small()], last, count });
    const { attempts } = await summarizer.summarize(liveFor(conversation));
    expect(attempts?.map(({ model, outcome }) => `${model} ${outcome}`)).toEqual([
      'test/busy failed',
      'test/small accepted',
    ]);
  });

  test('may be limited to some conversations, and may be the model of the conversation', async () => {
    const [other, own] = [small(), scriptedModel({ name: 'claude-opus-5', script: [{ text: good }] })];
    const models = [
      { model: other, when: ['gpt-*', 'openai/*'] },
      { model: () => own, when: ['CLAUDE-*'] },
    ];
    const { strategy } = await createModelSummarizer({ models, last, count }).summarize(liveFor(conversation));
    expect({ strategy, asked: other.requests.length }).toEqual({ strategy: 'fork', asked: 0 });
    const none = createModelSummarizer({ models: [{ model: () => undefined }], last, count });
    expect(await none.summarize(liveFor(conversation))).toMatchObject({ strategy: 'extractive', attempts: [] });
  });

  test('other than the conversation’s own model never receive a secret', async () => {
    const key = `ghp_${'aB3x'.repeat(9)}`;
    const model = scriptedModel({ name: 'small', script: () => ({ text: 'no' }) });
    const withKey = itemsOf(human(`The key is ${key}.`), says('Fine.'));
    const summarizer = createModelSummarizer({ models: [model], last, count });
    const { attempts } = await summarizer.summarize({
      ...liveFor(conversation),
      items: withKey,
      focus: key,
      state: { key },
      context: [key],
      instructions: key,
      previous: { narrative: { sections: { overview: key } }, to: 0 },
    });
    expect(attempts?.map(({ strategy }) => strategy)).toEqual(['full', 'simple', 'chunked']);
    expect(JSON.stringify(model.requests)).not.toContain(key);
  });
});
