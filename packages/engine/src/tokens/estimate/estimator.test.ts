import { describe, expect, test } from 'vitest';
import { createRandom, makeText, textKinds } from '../fixtures/texts.ts';
import { createTokenizer } from '../tokenizer.ts';
import { createCalibration } from './calibration.ts';
import { createEstimator, estimateTokens } from './estimator.ts';

describe('estimateTokens', () => {
  test.each(textKinds.filter((kind) => kind !== 'traps'))('is within a fifth of o200k_base for %s', async (kind) => {
    const { count } = await createTokenizer('o200k_base');
    const text = makeText({ seed: 9, kind, length: 50_000 });
    expect(Math.abs(estimateTokens(text) / count(text) - 1)).toBeLessThan(0.2);
  });

  test('says nothing for nothing and something for anything', () => {
    expect(estimateTokens('')).toBe(0);
    for (const text of [' ', '\n', 'a', '!', '中', '😀', '\ud800', '7', '\0'])
      expect(estimateTokens(text)).toBeGreaterThan(0);
  });

  test('takes a long name for a name and a long key for noise', () => {
    const name = 'internationalisationOfTheCompactionWindowManagerFactory';
    const key = 'sk4hT9xQ2bLz8RwVn1PcY7dJm3FgKs6uEa5oIt0ZHqXyBvNrCwDpMlUj';
    expect(estimateTokens(key)).toBeGreaterThan(2 * estimateTokens(name));
  });
});

describe('calibration', () => {
  /** A provider that makes 1.3 tokens of one and adds 7 a message, give or take a little. */
  function observe(seed: number, times: number) {
    const random = createRandom(seed);
    return Array.from({ length: times }, () => {
      const raw = { tokens: 20 + random.below(3_000), messages: 1 + random.below(4) };
      return { raw, actual: Math.round((raw.tokens * 1.3 + raw.messages * 7) * (0.97 + random.next() * 0.06)) };
    });
  }

  test('finds the factor and the overhead of a model', () => {
    const calibration = createCalibration();
    for (const observation of observe(1, 100)) calibration.learn(observation);
    expect(calibration.predict({ tokens: 1_000, messages: 2 }).tokens / 1_314).toBeCloseTo(1, 1);
    expect(calibration.predict({ tokens: 0, messages: 0 }).tokens).toBe(0);
  });

  test('keeps its bound, and draws it closer the more it has seen', () => {
    const calibration = createCalibration();
    const raw = { tokens: 1_000, messages: 1 };
    const bounds = [calibration.predict(raw).bound];
    for (const round of [1, 2, 3]) {
      for (const observation of observe(round, 60)) {
        expect(observation.actual).toBeLessThanOrEqual(calibration.predict(observation.raw).bound);
        calibration.learn(observation);
      }
      bounds.push(calibration.predict(raw).bound);
    }
    const [first = 0, ...later] = bounds;
    for (const bound of later) expect(bound).toBeLessThan(first);
    const [before, after] = [createCalibration(), calibration].map(
      (each) => each.predict({ tokens: 40_000, messages: 90 }).bound / 40_000,
    );
    expect(before).toBeGreaterThan(1.7);
    expect(after).toBeLessThan(1.3 * 1.1);
  });

  test('the first report of a whole request narrows a wide bound', () => {
    const calibration = createCalibration();
    const raw = { tokens: 40_000, messages: 90 };
    calibration.learn({ raw, actual: 61_000 });
    const { tokens, bound } = calibration.predict(raw);
    expect(Math.abs(tokens / 61_000 - 1)).toBeLessThan(0.06);
    expect(bound / 61_000).toBeLessThan(1.25);
  });

  test('an answer that was logged and never sent does not spoil the factor', () => {
    const calibration = createCalibration({ prior: { perToken: 1.16, perMessage: 0, margin: 0.14 } });
    for (const observation of observe(1, 30)) calibration.learn(observation);
    const before = calibration.predict({ tokens: 100_000, messages: 100 }).tokens;
    calibration.learn({ raw: { tokens: 5_600, messages: 2 }, actual: 59 });
    expect(calibration.predict({ tokens: 100_000, messages: 100 }).tokens / before).toBeGreaterThan(0.97);
  });

  test('a prior with a margin is the bound until usage is reported', () => {
    const calibration = createCalibration({ prior: { perToken: 1, perMessage: 0, margin: 0.02 } });
    expect(calibration.predict({ tokens: 8_323, messages: 19 })).toEqual({ tokens: 8_323, bound: 8_492 });
  });

  test('a single jump that no counting explains changes nothing, repeated ones are believed', () => {
    const calibration = createCalibration();
    for (const observation of observe(1, 50)) calibration.learn(observation);
    const raw = { tokens: 100, messages: 1 };
    const before = calibration.predict(raw);
    calibration.learn({ raw, actual: 40_000 });
    expect(calibration.predict(raw)).toEqual(before);
    for (let again = 0; again < 3; again += 1) calibration.learn({ raw, actual: 40_000 });
    expect(calibration.predict(raw).bound).toBeGreaterThan(before.bound);
  });

  test('never expects less for more', () => {
    const calibration = createCalibration();
    // The more messages the less: what regression alone would answer with a negative price.
    for (let i = 1; i < 50; i++) calibration.learn({ raw: { tokens: 100 * i, messages: i % 7 }, actual: 120 * i });
    for (let messages = 0; messages < 9; messages++) {
      const [less, more] = [
        calibration.predict({ tokens: 50, messages }),
        calibration.predict({ tokens: 50, messages: messages + 1 }),
      ];
      expect(more.tokens).toBeGreaterThanOrEqual(less.tokens);
    }
  });

  test('goes on where it stood when made anew from its state', () => {
    const first = createCalibration();
    for (const observation of observe(1, 30)) first.learn(observation);
    const second = createCalibration({ state: JSON.parse(JSON.stringify(first.state())) });
    for (const observation of observe(2, 30)) {
      first.learn(observation);
      second.learn(observation);
    }
    expect(second.predict({ tokens: 500, messages: 3 })).toEqual(first.predict({ tokens: 500, messages: 3 }));
  });
});

test('an estimator counts as its calibration has learned', () => {
  const estimator = createEstimator({ model: 'some-model', count: (text) => text.length });
  for (let i = 1; i < 40; i++) estimator.calibration.learn({ raw: { tokens: 100 * i, messages: 0 }, actual: 200 * i });
  expect(estimator.count('x'.repeat(1_000)) / 2_000).toBeCloseTo(1, 1);
  expect(estimator.estimate('x'.repeat(1_000)).bound).toBeGreaterThan(2_000);
});
