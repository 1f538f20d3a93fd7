import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import type { Usage } from '../usage.ts';
import { builtinProviders } from './builtin.ts';
import { cost } from './cost.ts';
import { modelInfo } from './info.ts';

const million = 1_000_000;
const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

describe('cost', () => {
  const opus = modelInfo({ name: 'claude-opus-4-5' });

  test('each kind of token has its price', () => {
    expect(cost({ usage: { ...none, input: million }, info: opus })).toBe(5);
    expect(cost({ usage: { ...none, output: million }, info: opus })).toBe(25);
    expect(cost({ usage: { ...none, cacheRead: million }, info: opus })).toBe(0.5);
    expect(cost({ usage: { ...none, cacheWrite: million }, info: opus })).toBe(6.25);
    expect(cost({ usage: { ...none, cacheWrite: million, cacheWriteLong: million }, info: opus })).toBe(10);
  });

  test("the provider's own compactions are included in the cost", () => {
    const usage = { ...none, input: million, providerCompaction: { ...none, output: million } };
    expect(cost({ usage, info: opus })).toBe(30);
  });

  test('a large prompt costs more, and the cached part counts for its size', () => {
    const pro = modelInfo({ name: 'gemini-2.5-pro' });
    expect(cost({ usage: { ...none, input: 200_000 }, info: pro })).toBeCloseTo(0.25);
    expect(cost({ usage: { ...none, input: 100, cacheRead: 200_000 }, info: pro })).toBeCloseTo(0.000_25 + 0.05);
  });

  test('where only the factor is known, it is used; without any, cached tokens are not free', () => {
    const prices = { input: 10, output: 20 };
    const usage = { ...none, cacheRead: million };
    expect(cost({ usage, info: { prices, cache: { how: 'explicit', readFactor: 0.1 } } })).toBe(1);
    expect(cost({ usage, info: { prices, cache: { how: 'none' } } })).toBe(10);
    const lifetimes = [
      { name: '5m', seconds: 300, writeFactor: 1.25 },
      { name: '1h', seconds: 3600, writeFactor: 2 },
    ];
    const wrote = { ...none, cacheWrite: million, cacheWriteLong: million / 2 };
    expect(cost({ usage: wrote, info: { prices, cache: { how: 'explicit', lifetimes } } })).toBe(16.25);
  });

  test('is not known where the prices are not', () => {
    expect(cost({ usage: { ...none, input: 5 }, info: modelInfo({ name: 'mystery-9' }) })).toBeUndefined();
  });

  test('never falls when more was used, whatever the model', () => {
    const infos = builtinProviders
      .flatMap((from) => from.models.map((model) => modelInfo({ provider: from.provider, name: model.match[0] ?? '' })))
      .filter((info) => info.prices !== undefined);
    const count = fc.nat(2_000_000);
    const usage = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
    fc.assert(
      fc.property(fc.constantFrom(...infos), usage, usage, (info, a, b) => {
        const more = {
          input: a.input + b.input,
          output: a.output + b.output,
          cacheRead: a.cacheRead + b.cacheRead,
          cacheWrite: a.cacheWrite + b.cacheWrite,
        };
        return (cost({ usage: more, info }) ?? 0) >= (cost({ usage: a, info }) ?? 0);
      }),
      runs(100),
    );
  });
});
