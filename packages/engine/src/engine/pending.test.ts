import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { Fragment, h, UserMessage } from '../prompt/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { createEngine } from './engine.ts';
import type { EngineSession } from './engine-session.ts';
import { BudgetExceededError } from './errors.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { long, talk } from './fixtures/talk.ts';
import { type PresetName, presets } from './policy/presets.ts';

const names = Object.keys(presets) as PresetName[];

/** A prompt of 33,591 characters, as somebody pastes a log. */
const pasted = Array.from({ length: 600 }, (_, line) => `${line}: the build of module ${line * 7} took ${line * 13} ms`)
  .join('\n')
  .padEnd(33_591, '.')
  .slice(0, 33_591);

/** A session with a real tokenizer that is nearly full. */
async function nearlyFull({ window, preset }: { readonly window: number; readonly preset: PresetName }) {
  const engine = await createEngine({ store: createMemoryStore(), policy: preset, random: () => 0.5 });
  const session = await engine.create();
  const model = modelOf({ window, name: 'gpt-4.1', dialect: 'openai-chat' });
  await session.prepare({ model, head: [system('You are careful.')], turn: { messages: [say('question 0')] } });
  for (let turn = 1; turn < 60; turn += 1) {
    const text = Array.from({ length: window / 400 }, (_, line) => `step ${turn}.${line} is done and checked`).join(
      '\n',
    );
    await session.append({ type: 'message', message: answer(text) });
    const { bound, budget } = await session.preflight({ model });
    if (bound > budget.limit * 0.85) break;
    await session.append({ type: 'message', message: say(`question ${turn}`) });
  }
  return { session, model };
}

describe('a prompt that triggers a compaction', () => {
  for (const preset of names) {
    for (const window of preset === 'longhaul' ? [32_000, 64_000] : [32_000]) {
      test(`of 33,591 characters is sent whole in a window of ${window} with ${preset}`, async () => {
        const { session, model } = await nearlyFull({ window, preset });
        const { items, report } = await session.prepare({ model, turn: { messages: [say(pasted)] } });
        expect(report.opened.map(({ reason }) => reason)).toContain('compaction');
        expect(items.at(-1)).toEqual(say(pasted));
      });
    }

    test(`is sent whole as a prompt element with ${preset}`, async () => {
      const { session, model } = await nearlyFull({ window: 32_000, preset });
      const { items } = await session.prepare({ model, turn: { messages: h(UserMessage, {}, pasted) } });
      expect(textOf(items.at(-1))).toBe(pasted);
    });

    test(`a pending result of 63 kB is sent as it was capped at birth with ${preset}`, async () => {
      const { session, model } = await nearlyFull({ window: 64_000, preset });
      await session.prepare({ model, turn: { messages: [say('run it')] } });
      await session.append({ type: 'message', message: call('a') });
      const output = result('a', pasted.repeat(2).slice(0, 63_000));
      const { items } = await session.prepare({ model, turn: { messages: [output], key: 'result' } });
      const [entry] = await session.session.read({ keys: ['result:0'] });
      expect(entry?.type === 'message' && (entry.sent ?? entry.message)).toEqual(items.at(-1));
    });
  }
});

function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

describe('pending input', () => {
  const model = modelOf({ window: 20_000 });

  test('is everything since the last answer: messages that were queued stay whole too', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 7, model });
    const queued = [say(long('first')), say(long('second')), say(long('third'))];
    const { items } = await session.prepare({ model, turn: { messages: queued } });
    await session.compact({ model });
    expect((await session.prepare({ model })).items.slice(-3)).toEqual(queued);
    expect(items.slice(-3)).toEqual(queued);
  });

  test('survives a chosen range that would take it', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 6, model });
    await session.prepare({ model, turn: { messages: [say('what now?')], key: 'now' } });
    const [asked] = await session.session.read({ keys: ['now:0'] });
    await session.compact({ model, to: asked?.id ?? '' });
    expect((await session.prepare({ model })).items.at(-1)).toEqual(say('what now?'));
  });

  test('is not elided where a later call of the same batch repeats it', async () => {
    const { session } = await begin({ summarizer: byCharacter, policy: presets.longhaul });
    await talk({ session, turns: 6, model });
    const read = (id: string) =>
      ({ type: 'tool_call', origin: 'model', id, name: 'read', arguments: '{"path":"a.ts"}' }) as const;
    await session.append({ type: 'message', message: { role: 'assistant', parts: [read('a'), read('b')] } });
    const outputs = [result('a', long('a.ts')), result('b', long('a.ts'))];
    await session.prepare({ model, turn: { messages: outputs } });
    await session.compact({ model });
    expect((await session.prepare({ model })).items.slice(-2)).toEqual(outputs);
  });

  test('that fits with the head alone stays whole; the summary goes, and rules without room are named', async () => {
    const { session, create } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 3, model });
    const rule = `Never ${'force '.repeat(70)}push.`;
    await session.pin({ text: rule });
    const prompt = say('w'.repeat(await largestThatFits(create)));
    const named: unknown[] = [];
    session.onAny((event) => {
      if (event.type === 'guard') named.push(event.pins);
      if (event.type === 'compactionComplete') named.push(event.loss?.pins);
    });
    const { items } = await session.prepare({ model, turn: { messages: [prompt] } });
    expect(items.at(-1)).toEqual(prompt);
    expect(JSON.stringify(named)).toContain(rule);
  });

  test('that does not fit the window is reduced to head, tail and handle, with an event that says so', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 3, model });
    const guards: { input?: unknown }[] = [];
    session.on('guard', (event) => guards.push(event));
    const prompt = say(`START ${'w'.repeat(60_000)} END`);
    const { items, report } = await session.prepare({ model, turn: { messages: [prompt], key: 'big' } });
    const [entry] = await session.session.read({ keys: ['big:0'] });
    const sent = textOf(items.at(-1));
    expect(sent).toMatch(/^START w+/);
    expect(sent).toMatch(/w+ END$/);
    expect(sent).toContain(`recall @${entry?.handle}`);
    // It fills what is there.
    expect(sent.length * 1.8).toBeGreaterThan(report.budget.limit * 0.7);
    expect(guards.at(-1)).toMatchObject({
      input: [{ handle: entry?.handle, charsBefore: 60_010, charsAfter: sent.length }],
    });
  });

  test('as a prompt element too large for any window is reduced, not refused', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 3, model });
    const turn = { messages: h(UserMessage, {}, `START ${'w'.repeat(60_000)} END`) };
    const prepared = await session.prepare({ model, turn }).catch((error: unknown) => error);
    expect(prepared).not.toBeInstanceOf(BudgetExceededError);
    expect(prepared).toMatchObject({ items: expect.anything() });
  });

  test('as a prompt element loses no part without a priority to the history', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 4, model });
    const { budget, bound } = await session.preflight({ model });
    // Each fits into what is free, both together do not.
    const length = Math.floor(((budget.limit - bound) / 1.8) * 0.7);
    const texts = ['a'.repeat(length), 'b'.repeat(length)];
    const turn = h(Fragment, null, ...texts.map((text) => h(UserMessage, {}, text)));
    const { items } = await session.prepare({ model, turn: { messages: turn } });
    expect(items.slice(-2).map(textOf)).toEqual(texts);
  });

  test('stays as it was sent within the epoch, also after a restart', async () => {
    const { session, again } = await begin({ summarizer: byCharacter });
    await talk({ session, turns: 7, model });
    const first = await session.prepare({ model, turn: { messages: [say('w'.repeat(7_000))], key: 'now' } });
    const second = await (await again()).prepare({ model, turn: { messages: [say('w'.repeat(7_000))], key: 'now' } });
    expect(second.items).toEqual(first.items);
  });

  /** The longest prompt that fits the window by itself. */
  async function largestThatFits(create: () => Promise<EngineSession>): Promise<number> {
    let [fits, exceeds] = [1, model.info.window];
    while (exceeds - fits > 1) {
      const length = (fits + exceeds) >> 1;
      const probe = await create();
      await probe.append({ type: 'message', message: say('w'.repeat(length)) });
      if ((await probe.preflight({ model })).fits) fits = length;
      else exceeds = length;
    }
    return fits;
  }
});
