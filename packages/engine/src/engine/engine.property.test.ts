import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dialect, dialects, type Message } from '../message/index.ts';
import { generateSession, judge, startLoopback } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import { BudgetExceededError } from './errors.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { say, system } from './fixtures/messages.ts';
import { play } from './fixtures/play.ts';
import { bodyOf, send } from './fixtures/send.ts';
import type { Prepared } from './types.ts';

/** Two thousand histories take half a minute here, and fifty times as many in a soak. */
const timeout = 3_600_000;

const windows = [4_000, 8_000, 24_000, 100_000, 1_000_000];

/** Histories from one word to one message of megabytes; empty ones are the matter of `degenerate.property.test.ts`. */
const history = fc.oneof(
  { weight: 6, arbitrary: fc.record({ seed: fc.nat(), turns: fc.integer({ min: 1, max: 8 }), thinks: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ words: fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ giant: fc.integer({ min: 100_000, max: 2_000_000 }) }) },
);

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(of: History, dialect: Dialect): Message[] {
  if ('words' in of) return of.words.map((length) => say('word '.repeat(Math.ceil(length / 5))));
  if ('giant' in of) return [say('go'), say('x'.repeat(of.giant))];
  const { seed, turns, thinks } = of;
  return generateSession({ seed, turns, huge: { every: 7, lines: 800 }, ...(thinks && { thinking: dialect }) });
}

test(
  'promises 1, 2 and 7: what is prepared fits, is legal, and only grows within an epoch',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom(...windows),
        fc.constantFrom(...dialects),
        async (of, window, dialect) => {
          const messages = messagesOf(of, dialect);
          const { session } = await begin();
          const model = modelOf({ window, dialect });
          let before: Prepared | undefined;
          for await (const prepared of play({ session, messages, model })) {
            expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
            if (prepared.items.length === 0) continue;
            expect(judge({ dialect, body: bodyOf({ prepared, dialect }) })).toEqual({ legal: true });
            if (before?.epoch === prepared.epoch) {
              expect(prepared.items.slice(0, before.items.length)).toEqual(before.items);
            }
            const reasons = prepared.report.opened.map(({ reason }) => reason);
            expect(reasons.length).toBeLessThanOrEqual(4);
            if (!reasons.includes('repair'))
              expect(reasons).not.toEqual(expect.arrayContaining(['prune', 'compaction']));
            before = prepared;
          }
        },
      ),
      { ...runs(1_000), endOnFailure: true },
    );
  },
  timeout,
);

test('promise 1: where the head alone is too large, the error names it', async () => {
  const { session } = await begin();
  const failure = await session
    .prepare({ model: modelOf({ window: 4_000 }), head: [system('x'.repeat(5_000))], turn: { messages: [say('hi')] } })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BudgetExceededError);
  expect(failure).toMatchObject({ part: 'The head and the tools', code: 'budget-exceeded' });
});

test(
  'promises 1 and 2 over HTTP: a provider that counts up to 15 % otherwise takes every request, after one retry at most',
  async () => {
    const skews = fc.integer({ min: 85, max: 115 });
    const small = fc.constantFrom(6_000, 20_000, 60_000);
    const seeds = fc.record({ seed: fc.nat(), turns: fc.integer({ min: 2, max: 8 }), thinks: fc.constant(false) });
    await fc.assert(
      fc.asyncProperty(seeds, skews, small, fc.constantFrom(...dialects), async (of, skew, window, dialect) => {
        const loopback = await startLoopback({ window, skew: skew / 100, count: (text) => text.length });
        try {
          const { session } = await begin();
          const model = modelOf({ window, dialect });
          for await (const prepared of play({ session, messages: messagesOf(of, dialect), model })) {
            const first = await send({ url: loopback.url, prepared, dialect });
            if ('usage' in first) {
              await session.report({ usage: first.usage ?? { input: 0 } });
              continue;
            }
            expect(first.failure).toMatchObject({ kind: 'overflow' });
            await session.report(first);
            const again = await session.prepare({ model });
            const second = await send({ url: loopback.url, prepared: again, dialect });
            expect(second).not.toHaveProperty('failure');
          }
        } finally {
          await loopback.close();
        }
      }),
      { ...runs(50), endOnFailure: true },
    );
  },
  timeout,
);
