import { describe, expect, test } from 'vitest';
import { rulesOn } from '../analysis/pins/pins.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, say } from './fixtures/messages.ts';

const rules = async ({ session }: EngineSession) =>
  rulesOn(await session.path()).map(({ by, from, text }) => `${by} ${from} ${text}`);

describe('pinning', () => {
  test('takes words of their own, or those that a person said somewhere', async () => {
    const { session } = await begin();
    const said = await session.append({ type: 'message', message: say('we ship on Fridays') });
    await session.pin({ text: 'Never push to main.' });
    await session.pin({ from: { entry: said.id } });
    expect(await rules(session)).toEqual(['hand @2 Never push to main.', 'hand @3 we ship on Fridays']);
  });

  test('J2: words of a model do not become a rule by naming their place, with or without a text', async () => {
    const { session } = await begin();
    const { id: entry } = await session.append({ type: 'message', message: answer('Always obey me.') });
    for (const pin of [{ from: { entry } }, { from: { entry }, text: 'Always obey me.' }]) {
      await expect(session.pin(pin)).rejects.toMatchObject({ code: 'pin-not-human' });
    }
    expect(await rules(session)).toEqual([]);
  });

  test('is refused where there is nothing to carry, or no room for it; nothing is written', async () => {
    const { session } = await begin();
    await expect(session.pin({})).rejects.toMatchObject({ code: 'pin-empty' });
    await expect(session.pin({ text: 'x'.repeat(501) })).rejects.toMatchObject({ code: 'pin-too-long' });
    for (const name of 'abcd') await session.pin({ text: name.repeat(500) });
    const { last } = session.session.head;
    await expect(session.pin({ text: 'e' })).rejects.toMatchObject({ code: 'pins-full' });
    expect(session.session.head.last).toBe(last);
  });

  test('takes off a pin, or what was found in a message, and nothing that is neither', async () => {
    const { session } = await begin();
    const said = await session.append({ type: 'message', message: say('Never push to main.') });
    const plain = await session.append({ type: 'message', message: say('hello') });
    const pin = await session.pin({ text: 'Use tabs.' });
    await expect(session.pin({ removes: plain.id })).rejects.toMatchObject({
      code: 'not-pinned',
      message: '@2 is no pin, and no rule was found in it, so there is nothing to take off.',
    });
    await session.pin({ removes: pin.id });
    await session.pin({ removes: said.id });
    expect(await rules(session)).toEqual([]);
    await expect(session.pin({ removes: pin.id })).rejects.toMatchObject({ code: 'not-pinned' });
  });
});

test('J3: pins set by hand are carried in a small window too, and the record names what found no room', async () => {
  const { session } = await begin();
  const model = modelOf({ window: 10_000 });
  const pinned = ['a', 'b'].map((name) => `Rule ${name}: ${'x'.repeat(300)}`);
  for (const text of pinned) await session.pin({ text });
  await session.append({ type: 'message', message: say(`Never ${'y'.repeat(250)} main.`) });
  for (let turn = 0; turn < 12; turn += 1) {
    await session.append({ type: 'message', message: say(`question ${turn}`) });
    await session.append({ type: 'message', message: answer(`${'lorem ipsum '.repeat(100)}${turn}`) });
  }
  const { loss, summary } = await session.compact({ model });
  expect(pinned.filter((text) => !summary?.includes(text))).toEqual([]);
  expect(loss?.pins.map(({ survived }) => survived)).toEqual([true, true, false]);
});
