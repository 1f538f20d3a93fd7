import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { createMessageCounter } from '../content/message-counter.ts';
import { countingRules } from '../content/rules.ts';
import { add, nothing, shares, total } from '../content/shares.ts';
import { createCalibration } from '../estimate/calibration.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { reserveFor } from './snapshot.ts';
import { promptTokens } from './usage.ts';

/** One character is one token, messages cost nothing by themselves, and nothing is added to that. */
const rules = { ...countingRules['openai-chat'], perMessage: 0, perRequest: 0 };
const counter = createMessageCounter({ count: (text) => (text === 'user' ? 0 : text.length), rules });
const exact = { perToken: 1, perMessage: 0 };

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text, origin: 'human' }] });

function create(window = 1_000): Ledger {
  return createLedger({ window, counter, calibration: createCalibration({ prior: exact }) });
}

describe('before anything is reported', () => {
  test('shares, reserve and free add up to the window', () => {
    const ledger = create();
    ledger.setHead({ messages: [{ role: 'system', parts: user('12345').parts }], tools: [] });
    ledger.append({ message: user('1234567890') });
    const snapshot = ledger.snapshot();
    expect(snapshot).toMatchObject({ system: 11, messages: 10, used: 21, reserve: 150, free: 829, confirmed: 0 });
    expect(shares.reduce((sum, share) => sum + snapshot[share], snapshot.reserve + snapshot.free)).toBe(1_000);
    expect(snapshot.bound).toBeGreaterThan(21);
  });

  test('an empty ledger is empty', () => {
    expect(create().snapshot()).toMatchObject({ ...nothing, used: 0, bound: 0, free: 850 });
  });
});

describe('what a provider reports', () => {
  test('is taken as it is, cached or not, and what follows is added to it', () => {
    const ledger = create();
    ledger.append({ message: user('x'.repeat(100)) });
    ledger.report({ usage: { input: 5, cacheWrite: 15, cacheRead: 200 } });
    expect(ledger.snapshot()).toMatchObject({ messages: 220, used: 220, bound: 220, confirmed: 220 });
    ledger.append({ message: user('x'.repeat(50)) });
    expect(ledger.snapshot()).toMatchObject({ used: 270, confirmed: 220 });
    expect(promptTokens({ input: 1 })).toBe(1);
  });

  test('an answer counts as its provider counted it', () => {
    const ledger = create();
    ledger.report({ usage: { input: 100 } });
    ledger.append({ message: { role: 'assistant', parts: user('x'.repeat(50)).parts }, output: 80 });
    expect(ledger.size().tokens).toBe(180);
  });

  test('an answer whose reported length cannot be true is estimated', () => {
    const ledger = create();
    ledger.report({ usage: { input: 100 } });
    ledger.append({ message: { role: 'assistant', parts: user('x'.repeat(500)).parts }, output: 8 });
    expect(ledger.size().tokens).toBeGreaterThan(600);
  });

  test('teaches the estimates', () => {
    const ledger = create(100_000);
    ledger.report({ usage: { input: 50 } });
    for (let i = 1; i <= 40; i++) {
      ledger.append({ message: user('x'.repeat(100)) });
      ledger.report({ usage: { input: 50 + i * 150 } });
    }
    expect(ledger.append({ message: user('y'.repeat(100)) }).tokens).toBeGreaterThan(140);
  });

  test('zeros say nothing, a report for an earlier length voids the later', () => {
    const ledger = create();
    ledger.append({ message: user('x'.repeat(10)) });
    ledger.append({ message: user('x'.repeat(10)) });
    ledger.report({ usage: { input: 70 } });
    ledger.report({ usage: { input: 0 } });
    expect(ledger.size().tokens).toBe(70);
    ledger.report({ usage: { input: 30 }, length: 1 });
    expect(ledger.size().tokens).toBe(40);
  });

  test('is void when the head changes, and when what it covered is cut', () => {
    const ledger = create();
    ledger.append({ message: user('x'.repeat(10)) });
    ledger.report({ usage: { input: 30 } });
    ledger.append({ message: user('x'.repeat(10)) });
    ledger.report({ usage: { input: 40 } });
    ledger.truncate(1);
    expect(ledger.size()).toEqual({ tokens: 30, bound: 30 });
    ledger.setHead({ messages: [], tools: [] });
    expect(ledger.size().tokens).toBe(10);
  });
});

type Step = { append: string } | { truncate: number } | { report: number } | { head: string };

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ append: fc.string({ maxLength: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ truncate: fc.nat(30) }) },
    { weight: 2, arbitrary: fc.record({ report: fc.nat(500) }) },
    { weight: 1, arbitrary: fc.record({ head: fc.string({ maxLength: 10 }) }) },
  ),
  { maxLength: 60 },
);

/** The same by the plainest means: keeps the messages and counts them all each time. */
function createRecount(calibration = createCalibration({ prior: exact })) {
  const messages: Message[] = [];
  let head: Message[] = [];
  let reports: { length: number; tokens: number }[] = [];
  const sum = (from: number) =>
    messages.slice(from).reduce((tokens, message) => tokens + total(counter.message(message)), 0);
  return {
    take(step: Step): void {
      if ('append' in step) messages.push(user(step.append));
      else if ('truncate' in step) messages.length = Math.min(messages.length, step.truncate);
      else if ('head' in step) [head, reports] = [[{ role: 'system', parts: user(step.head).parts }], []];
      else this.report(step.report);
      reports = reports.filter(({ length }) => length <= messages.length);
    },
    report(tokens: number): void {
      if (tokens === 0) return;
      const before = reports.at(-1);
      if (before && before.length < messages.length && tokens > before.tokens) {
        const raw = { tokens: sum(before.length), messages: messages.length - before.length };
        calibration.learn({ raw, actual: tokens - before.tokens });
      }
      reports = [...reports.filter(({ length }) => length < messages.length), { length: messages.length, tokens }];
    },
    used(): number {
      const last = reports.at(-1);
      const from = last?.length ?? 0;
      const heads = last ? 0 : head.reduce((tokens, message) => tokens + total(counter.message(message)), 0);
      const raw = { tokens: sum(from) + heads, messages: messages.length - from + (last ? 0 : head.length) };
      return (last?.tokens ?? 0) + calibration.predict(raw).tokens;
    },
    split: () => [...head, ...messages].map((message) => counter.message(message)).reduce(add, nothing),
    tail(most: number): number {
      const comesTo = (from: number) =>
        calibration.predict({ tokens: sum(from), messages: messages.length - from }).tokens;
      let from = messages.length;
      while (from > 0 && comesTo(from - 1) <= most) from--;
      return from;
    },
  };
}

test('property: after any history it is equal to a recount from scratch', () => {
  fc.assert(
    fc.property(steps, fc.nat(400), (history, most) => {
      const ledger = create();
      const recount = createRecount();
      for (const step of history) {
        recount.take(step);
        if ('append' in step) ledger.append({ message: user(step.append) });
        else if ('truncate' in step) ledger.truncate(step.truncate);
        else if ('report' in step) ledger.report({ usage: { input: step.report } });
        else ledger.setHead({ messages: [{ role: 'system', parts: user(step.head).parts }], tools: [] });
      }
      const snapshot = ledger.snapshot();
      expect(snapshot.used).toBe(recount.used());
      expect(ledger.tail(most)).toBe(recount.tail(most));
      expect(shares.reduce((sum, share) => sum + snapshot[share], 0)).toBe(snapshot.used);
      expect(snapshot.bound).toBeGreaterThanOrEqual(snapshot.used);
      const split = recount.split();
      if (snapshot.used === total(split)) expect(snapshot).toMatchObject(split);
    }),
    runs(500),
  );
});

test('the reserve is small in a small window', () => {
  expect([8_000, 24_000, 128_000, 1_000_000].map((window) => reserveFor({ window }))).toEqual([
    1_200, 3_600, 16_384, 16_384,
  ]);
});
