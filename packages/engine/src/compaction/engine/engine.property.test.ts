import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dialect, dialects, type Message, writeRequest } from '../../message/index.ts';
import { generateSession, judge } from '../../testing/index.ts';
import { runs } from '../../testing/runs.ts';
import { BudgetExceededError } from '../errors.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { say, system } from '../fixtures/messages.ts';
import type { EngineSession, Prepared } from './engine-session.ts';
import type { TargetModel } from './scale.ts';

const windows = [4_000, 8_000, 24_000, 100_000, 1_000_000];

/** Histories from nothing at all to one message of megabytes. */
const history = fc.oneof(
  { weight: 6, arbitrary: fc.record({ seed: fc.nat(), turns: fc.integer({ min: 1, max: 8 }), thinks: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ words: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ giant: fc.integer({ min: 100_000, max: 2_000_000 }) }) },
);

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(of: History, dialect: Dialect): Message[] {
  if ('words' in of) return of.words.map((length) => say('word '.repeat(Math.ceil(length / 5))));
  if ('giant' in of) return [say('go'), say('x'.repeat(of.giant))];
  const { seed, turns, thinks } = of;
  return generateSession({ seed, turns, huge: { every: 7, lines: 800 }, ...(thinks && { thinking: dialect }) });
}

/** Sends a history as an agent would: what the model said is appended, what it is told is prepared. */
async function* play(of: {
  readonly session: EngineSession;
  readonly messages: readonly Message[];
  readonly model: TargetModel;
}): AsyncGenerator<Prepared> {
  const head = [system('You are careful.')];
  let waiting: Message[] = [];
  for (const [index, message] of of.messages.entries()) {
    if (message.role === 'assistant') {
      yield await of.session.prepare({ model: of.model, head, turn: { messages: waiting, key: `turn-${index}` } });
      waiting = [];
      await of.session.append({ type: 'message', message });
    } else waiting.push(message);
  }
  yield await of.session.prepare({ model: of.model, head, turn: { messages: waiting, key: 'last' } });
}

function verdictOf({ prepared, dialect }: { readonly prepared: Prepared; readonly dialect: Dialect }) {
  const { head, items: messages, tools } = prepared;
  const body = writeRequest({ dialect, conversation: { head, messages, tools } });
  const rest = dialect === 'gemini' ? {} : { model: 'test', ...(dialect === 'anthropic' && { max_tokens: 100 }) };
  return judge({ dialect, body: { ...rest, ...body } });
}

test('promises 1, 2 and 7: what is prepared fits, is legal, and only grows within an epoch', async () => {
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
          expect(verdictOf({ prepared, dialect })).toEqual({ legal: true });
          if (before?.epoch === prepared.epoch) {
            expect(prepared.items.slice(0, before.items.length)).toEqual(before.items);
          }
          expect(prepared.report.opened.length).toBeLessThanOrEqual(4);
          before = prepared;
        }
      },
    ),
    { ...runs(200), endOnFailure: true },
  );
});

test('promise 1: where the head alone is too large, the error names it', async () => {
  const { session } = await begin();
  const failure = await session
    .prepare({ model: modelOf({ window: 4_000 }), head: [system('x'.repeat(5_000))], turn: { messages: [say('hi')] } })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BudgetExceededError);
  expect(failure).toMatchObject({ part: 'The head and the tools', code: 'budget-exceeded' });
});
