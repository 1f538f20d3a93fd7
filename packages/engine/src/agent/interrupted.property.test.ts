import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byCharacter } from '../engine/fixtures/by-character.ts';
import { bodyOf } from '../engine/fixtures/send.ts';
import { createEngine } from '../engine/index.ts';
import type { Dialect } from '../message/index.ts';
import { createMemoryStore, type Entry, openSqliteStore, type Store } from '../session/index.ts';
import { characterTokenizer, judge, type ScriptedAnswer, type ScriptedCall, scriptedModel } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import { createAgent } from './agent.ts';
import { mortalStore } from './fixtures/mortal-store.ts';
import { everything, reads, says, toolOf, writes } from './fixtures/tools.ts';
import type { ToolRun } from './tool.ts';

const timeout = 3_600_000;

/** Possible model output: valid and invalid calls, every end reason, every failure. */
const call: fc.Arbitrary<ScriptedCall> = fc.record({
  name: fc.constantFrom('read', 'read', 'write', 'write', 'once', 'throws', 'stubborn', 'fly'),
  arguments: fc.constantFrom('{}', '{}', '{}', '', '{"half', '{"long":"0123456789"}'),
});
const answer: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      text: fc.constantFrom('', 'Working. '.repeat(20)),
      toolCalls: fc.array(call, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      text: fc.constantFrom('', 'Some words.'),
      reason: fc.constantFrom('stop', 'length', 'paused', 'refused'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      text: fc.constantFrom('', 'Half a sentence'),
      failure: fc.constantFrom('network', 'rate', 'overflow', 'quota'),
    }),
  },
);

/** One lifetime of the process: its messages and how it ends. */
const life = fc.record({
  prompt: fc.boolean(),
  /** At which event a message is added, and how. */
  words: fc.array(fc.record({ at: fc.nat(25), how: fc.constantFrom('steer', 'queue') }), { maxLength: 2 }),
  abortAt: fc.option(fc.nat(40), { nil: undefined }),
  killAfter: fc.option(fc.nat(30), { nil: undefined }),
  isTorn: fc.boolean(),
});

const story = fc.record({
  dialect: fc.constantFrom<Dialect>('anthropic', 'openai-chat', 'openai-responses', 'gemini'),
  answers: fc.array(answer, { minLength: 1, maxLength: 10 }),
  lives: fc.array(life, { minLength: 1, maxLength: 4 }),
  window: fc.constantFrom(6_000, 40_000),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Runs a scenario on a store, resumes until nothing is left to do, and checks what happened. */
async function live({
  story,
  store,
  id,
}: {
  readonly story: Story;
  readonly store: Store;
  readonly id: string;
}): Promise<void> {
  const head = [
    { role: 'system' as const, parts: [{ type: 'text' as const, origin: 'engine' as const, text: 'Work.' }] },
  ];
  const clock = { now: () => 1_800_000_000_000, sleep: async () => undefined };
  const said: string[] = [];
  const ran = new Map<string, number>();
  let asked = 0;
  /** Violations found where throwing is part of the scenario. */
  const faults: string[] = [];
  const settled = async (callId: string) =>
    (await store.read({ session: id, query: { types: ['message'] } })).some(
      (entry) =>
        entry.type === 'message' &&
        entry.message.parts.some((part) => part.type === 'tool_result' && part.callId === callId),
    );
  const running = async ({ callId, signal }: ToolRun) => {
    ran.set(callId, (ran.get(callId) ?? 0) + 1);
    // Guarantee: a call with a result never runs again. After an abort its result may be logged while this reads.
    if ((await settled(callId)) && !signal.aborted) faults.push(`${callId} ran although it had a result`);
    await new Promise((resolve) => setImmediate(resolve));
    return signal.aborted;
  };
  const ok = async (call: ToolRun) => {
    await running(call);
    return says('ok');
  };
  const tools = [
    toolOf({ name: 'read', access: reads, run: ok }),
    toolOf({ name: 'write', access: writes, run: ok }),
    toolOf({ name: 'once', isOnce: true, run: ok }),
    toolOf({
      name: 'throws',
      access: writes,
      run: async (call) => {
        await running(call);
        throw new Error('broken');
      },
    }),
    toolOf({
      name: 'stubborn',
      access: reads,
      run: async (call) => ((await running(call)) ? new Promise(() => undefined) : says('ok')),
    }),
  ];
  const model = scriptedModel({
    dialect: story.dialect,
    window: story.window,
    script: (request) => {
      const { head, items, tools } = request;
      const body = bodyOf({ prepared: { head, items, tools }, dialect: story.dialect });
      // Guarantee: every request is valid, whatever happened before.
      const verdict = judge({ dialect: story.dialect, body, options: { allowPrefill: true } });
      if (!verdict.legal) faults.push(JSON.stringify(verdict));
      return story.answers[asked++] ?? { text: 'Done.' };
    },
  });
  const open = async (on: Store, isNew: boolean) => {
    const engine = await createEngine({
      store: on,
      clock: { now: clock.now },
      tokenizer: characterTokenizer,
      summarizer: byCharacter,
    });
    const session = isNew ? await engine.create({ id }) : await engine.open(id);
    return await createAgent({
      session,
      model,
      tools,
      clock,
      head,
      random: () => 0,
      permissions: everything,
      cwd: '/repo',
      maxTurns: 30,
    });
  };
  const speak = async (how: (text: string) => Promise<void>) => {
    const text = `words ${said.length} of a person`;
    const index = said.push('') - 1;
    // Unacknowledged messages may be lost; acknowledged ones may not.
    await how(text).then(
      () => {
        said[index] = text;
      },
      () => undefined,
    );
  };
  for (const [index, one] of story.lives.entries()) {
    const mortal = mortalStore({ store, after: one.killAfter ?? Number.POSITIVE_INFINITY, isTorn: one.isTorn });
    if (index === 0) await (await open(store, true)).close();
    const agent = await open(mortal.store, false).catch(() => undefined);
    if (!agent) continue;
    const speaking: Promise<void>[] = [];
    let events = 0;
    agent.on(() => {
      if (events === one.abortAt) agent.abort();
      for (const { at, how } of one.words) if (at === events) speaking.push(speak((text) => agent[how](text)));
      events += 1;
    });
    const text = `prompt ${index} of a person`;
    for await (const event of agent.run(one.prompt ? { prompt: text } : {})) {
      if (event.type === 'said' && event.how === 'prompt') said.push(event.text);
    }
    await Promise.all(speaking);
    // Guarantee: a run that ends normally leaves no call without a result.
    if (!mortal.isDead()) expect((await agent.pending()).calls).toEqual([]);
    await agent.close().catch(() => undefined);
  }
  const last = await open(store, false);
  for (let round = 0; round < 20; round += 1) {
    for await (const event of last.run()) if (event.type === 'run_end') expect(event.reason).not.toBe('aborted');
    const { calls, messages: waiting } = await last.pending();
    expect(calls).toEqual([]);
    if (waiting.length === 0 && asked >= story.answers.length) break;
  }
  expect(faults).toEqual([]);
  const log = await store.read({ session: id, query: { types: ['message'] } });
  const texts = log.flatMap(humanTexts);
  for (const words of said.filter((text) => text !== ''))
    expect(texts.filter((text) => text === words)).toEqual([words]);
  for (const [callId, times] of ran) if (!isRead({ log, callId })) expect(times, callId).toBe(1);
  expect(unpaired(log)).toEqual([]);
  await last.close();
}

const humanTexts = (entry: Entry): string[] =>
  entry.type === 'message'
    ? entry.message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : []))
    : [];

function isRead({ log, callId }: { readonly log: readonly Entry[]; readonly callId: string }): boolean {
  return log.some(
    (entry) =>
      entry.type === 'message' &&
      entry.message.parts.some(
        (part) => part.type === 'tool_call' && part.id === callId && (part.name === 'read' || part.name === 'stubborn'),
      ),
  );
}

/** Calls without exactly one result, in the whole log. */
function unpaired(log: readonly Entry[]): string[] {
  const results = log.flatMap((entry) =>
    entry.type === 'message'
      ? entry.message.parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []))
      : [],
  );
  const calls = log.flatMap((entry) =>
    entry.type === 'message' ? entry.message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])) : [],
  );
  return [
    ...calls.filter((id) => results.filter((other) => other === id).length !== 1),
    ...results.filter((id) => !calls.includes(id)),
  ];
}

test('stopped, broken or killed anywhere, a session continues: valid requests, nothing lost, nothing done twice', {
  timeout,
}, async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(story, async (story) => live({ story, store: createMemoryStore(), id: `s${number++}` })),
    runs(300),
  );
});

test('the same on files', { timeout }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-agent-'));
  const store = await openSqliteStore({ dir });
  let number = 0;
  try {
    await fc.assert(
      fc.asyncProperty(story, async (story) => live({ story, store, id: `s${number++}` })),
      runs(10),
    );
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
