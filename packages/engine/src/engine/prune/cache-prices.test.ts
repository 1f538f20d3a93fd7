import { expect, test } from 'vitest';
import type { TargetModel } from '../../models/index.ts';
import { modelOf } from '../fixtures/engine.ts';
import { cachePrices } from './cache-prices.ts';

const plain = modelOf({ window: 40_000 });
const minutes = { name: '5m', seconds: 300, writeFactor: 1.25 };
const withInfo = (info: Partial<TargetModel['info']>): TargetModel => ({ ...plain, info: { ...plain.info, ...info } });
const model = withInfo({ cache: { how: 'explicit', readFactor: 0.1, lifetimes: [minutes] } });

const asked = ({ of = model, after = 0, isKept = true }: { of?: TargetModel; after?: number; isKept?: boolean }) =>
  cachePrices({ model: of, used: { at: 1_000, isKept }, now: 1_000 + after });

test('a cache is warm where its provider said that it holds something, for as long as it does', () => {
  expect(asked({})).toEqual({ read: 0.1, write: 1.25 });
  expect(asked({ after: 299_000 })).toBeDefined();
  expect(asked({ after: 301_000 })).toBeUndefined();
  expect(asked({ isKept: false })).toBeUndefined();
});

test('the prices of the model come before the factors of its provider; without either there is nothing to weigh', () => {
  const { cache } = model.info;
  const prices = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 6 };
  expect(asked({ of: withInfo({ cache, prices }) })).toEqual({ read: 0.05, write: 1.5 });
  expect(asked({ of: withInfo({ cache: { how: 'automatic' } }) })).toBeUndefined();
  expect(asked({ of: withInfo({ cache: { how: 'none', readFactor: 0.1 } }) })).toBeUndefined();
});
