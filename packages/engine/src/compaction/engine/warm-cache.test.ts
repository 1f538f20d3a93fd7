import { expect, test } from 'vitest';
import type { ReportedUsage } from '../../tokens/index.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { say } from '../fixtures/messages.ts';
import type { TargetModel } from './scale.ts';
import { warmCache } from './warm-cache.ts';

const plain = modelOf({ window: 40_000 });
const minutes = { name: '5m', seconds: 300, writeFactor: 1.25 };
const withInfo = (info: Partial<TargetModel['info']>): TargetModel => ({ ...plain, info: { ...plain.info, ...info } });
const model = withInfo({ cache: { how: 'explicit', readFactor: 0.1, lifetimes: [minutes] } });

async function asked({ usage, of = model, after = 0 }: { usage?: ReportedUsage; of?: TargetModel; after?: number }) {
  const { session } = await begin();
  const { tokens } = await session.prepare({ model, turn: { messages: [say('look at all of it')] } });
  await session.report({ usage: usage ?? { input: 0, cacheWrite: tokens } });
  const [said] = await session.session.read({ types: ['usage'] });
  return await warmCache({ session: session.session, model: of, now: (said?.at ?? 0) + after });
}

test('a cache is warm where its provider said that it holds something, for as long as it does', async () => {
  expect(await asked({})).toEqual({ read: 0.1, write: 1.25 });
  expect(await asked({ after: 299_000 })).toBeDefined();
  expect(await asked({ after: 301_000 })).toBeUndefined();
  expect(await asked({ usage: { input: 20 } })).toBeUndefined();
});

test('the prices of the model come before the factors of its provider; without either there is nothing to weigh', async () => {
  const { cache } = model.info;
  const prices = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 6 };
  expect(await asked({ of: withInfo({ cache, prices }) })).toEqual({ read: 0.05, write: 1.5 });
  expect(await asked({ of: withInfo({ cache: { how: 'automatic' } }) })).toBeUndefined();
  expect(await asked({ of: withInfo({ cache: { how: 'none', readFactor: 0.1 } }) })).toBeUndefined();
});

test('what another model holds is not held by this one', async () => {
  const { info } = model;
  expect(await asked({ of: { ...modelOf({ window: 40_000, name: 'other' }), info } })).toBeUndefined();
});
