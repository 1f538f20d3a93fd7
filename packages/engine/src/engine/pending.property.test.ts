import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialects, type Message } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { generateSession, judge } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { play } from './fixtures/play.ts';
import { bodyOf } from './fixtures/send.ts';
import { presets } from './policy/presets.ts';
import type { Prepared } from './types.ts';

const timeout = 3_600_000;

/** A picture of a few hundred tokens. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const picture: Message = {
  role: 'user',
  parts: [{ type: 'image', origin: 'human', source: { kind: 'base64', mediaType: 'image/png', data: png } }],
};

/** What waits for an answer: results of one or several calls, then human messages, in thousandths of the window. */
const size = fc.oneof(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 150, max: 600 }));
const waiting = fc.record({
  results: fc.array(size, { maxLength: 3 }),
  texts: fc.array(size, { maxLength: 2 }),
  hasImage: fc.boolean(),
});

type Waiting = typeof waiting extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  seed: fc.nat(),
  turns: fc.integer({ min: 1, max: 4 }),
  head: fc.constantFrom(10, 500, 1_500),
  pin: fc.constantFrom(0, 60, 480),
});

/** How the compaction comes about. */
const trigger = fc.constantFrom('none', 'manual', 'switch', 'overflow', 'undo', 'reopen');

function messagesOf({ results, texts, hasImage, window }: Waiting & { readonly window: number }): {
  readonly calls: Message[];
  readonly input: Message[];
} {
  const ids = results.map((_, index) => `pending-${index}`);
  const outputs = results.map((length, index) =>
    result(`pending-${index}`, filled(`result ${index}`, (length * window) / 1_000)),
  );
  const said = texts.map((length, index) => say(filled(`prompt ${index}`, (length * window) / 1_000)));
  const input = [...outputs, ...said, ...(hasImage || outputs.length + said.length === 0 ? [picture] : [])];
  return { calls: ids.length > 0 ? [call(...ids)] : [answer('Ready.')], input };
}

function filled(name: string, length: number): string {
  return `${name} ${'All work and no play. '.repeat(Math.ceil(length / 22))}`.slice(
    0,
    Math.max(length, name.length + 1),
  );
}

test(
  'pending input is sent byte for byte whenever head, input and a minimal summary fit, for any preset and trigger',
  async () => {
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(
        history,
        waiting,
        fc.constantFrom(8_000, 16_000, 40_000),
        fc.constantFrom(...Object.values(presets)),
        fc.constantFrom(...dialects),
        trigger,
        async (past, input, window, policy, dialect, how) => {
          const { session, again, create } = await begin({ policy, summarizer: byCharacter });
          const head = [system('h'.repeat(how === 'overflow' ? 10 : past.head))];
          // The past was lived in another window, so that it may be far too large for this one.
          const before = modelOf({ window: how === 'switch' ? 200_000 : window, dialect });
          const reported = generateSession({ seed: past.seed, turns: past.turns, huge: { every: 7, lines: 200 } });
          // A request without anything said is refused.
          if (reported.length > 0) for await (const _ of play({ session, messages: reported, model: before, head }));
          if (past.pin > 0) await session.pin({ text: `Rule: ${'p'.repeat(past.pin)}` });
          const { calls, input: messages } = messagesOf({ ...input, window });
          await session.prepare({ model: before, head, turn: { messages: [say('Go on.')] } });
          for (const message of calls) await session.append({ type: 'message', message });
          const model = modelOf({ window, dialect });
          const subject = how === 'reopen' ? await again() : session;
          const sent = await lived({ subject, model, head, messages, how });
          whole += (await check({ ...sent, model, calls, create })) ? 1 : 0;
        },
      ),
      { ...runs(40), endOnFailure: true },
    );
    expect(whole).toBeGreaterThan(0);
  },
  timeout,
);

/** Sends the input in the way of a trigger; `first` is the input as it was first sent, after the caps at birth. */
async function lived(of: {
  readonly subject: EngineSession;
  readonly model: TargetModel;
  readonly head: readonly Message[];
  readonly messages: readonly Message[];
  readonly how: string;
}): Promise<{ readonly prepared: Prepared; readonly first: readonly Message[] }> {
  const { subject, model, head, messages, how } = of;
  if (how === 'undo') await subject.compact({ model }).then(() => subject.undo().catch(() => undefined));
  let prepared = await subject.prepare({ model, head, turn: { messages, key: 'input' } });
  if (how === 'manual') await subject.compact({ model });
  if (how === 'overflow') {
    // A provider that counts a fifth more than the engine.
    const [used, limit] = [Math.ceil(prepared.tokens * 1.2), Math.floor(prepared.tokens * 1.1)];
    await subject.report({ failure: { kind: 'overflow', message: 'too long', used, limit, retryable: true } });
  }
  if (how === 'manual' || how === 'overflow') prepared = await subject.prepare({ model, head });
  const keys = messages.map((_, index) => `input:${index}`);
  const entries = await subject.session.read({ keys });
  const first = entries.flatMap((entry) => (entry.type === 'message' ? [entry.sent ?? entry.message] : []));
  return { prepared, first };
}

/** Whether all of it had to be sent as it is. */
async function check(of: {
  readonly prepared: Prepared;
  readonly model: TargetModel;
  readonly first: readonly Message[];
  readonly calls: readonly Message[];
  readonly create: () => Promise<EngineSession>;
}): Promise<boolean> {
  const { prepared, model, first, calls, create } = of;
  const { dialect } = model;
  const { limit } = prepared.report.budget;
  expect(prepared.bound).toBeLessThanOrEqual(limit);
  const body = bodyOf({ prepared, dialect });
  expect(judge({ dialect, body })).toEqual({ legal: true });
  const probe = await create();
  for (const message of [...prepared.head, say('s'.repeat(1_000)), ...calls, ...first]) {
    await probe.append({ type: 'message', message });
  }
  const { bound } = await probe.preflight({ model });
  if (bound > limit) return false;
  const parts = prepared.items.flatMap((message) => message.parts.map((part) => JSON.stringify(part)));
  for (const part of first.flatMap((message) => message.parts)) expect(parts).toContain(JSON.stringify(part));
  return true;
}
