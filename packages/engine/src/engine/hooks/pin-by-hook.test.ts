import { expect, test } from 'vitest';
import { pinLine } from '../../analysis/pins/choose.ts';
import { rulesOn } from '../../analysis/pins/pins.ts';
import { createMemoryStore, createSession } from '../../session/index.ts';
import { pinByHook } from '../pin.ts';
import type { HookFailure } from '../types.ts';

const count = (text: string) => text.length;

async function made() {
  const session = await createSession({ store: createMemoryStore(), header: {} });
  const failures: HookFailure[] = [];
  const pin = (...texts: readonly string[]) =>
    pinByHook({ session, texts, count, reportFailure: (failure) => void failures.push(failure) });
  const rules = async () => rulesOn(await session.path());
  return { session, failures, pin, rules };
}

test('what a hook pins is marked as its own, and never passes for the user’s words', async () => {
  const { pin, rules } = await made();
  await pin('Use tabs.');
  expect(await rules()).toMatchObject([{ text: 'Use tabs.', by: 'hook' }]);
  expect((await rules()).map(pinLine)).toEqual(['- Use tabs. (@1, set by a hook)']);
});

test('it is pinned once, and not at all where it holds already or a person took it off', async () => {
  const { session, pin, rules } = await made();
  await session.pin({ text: 'Said by hand.' });
  await pin('Use tabs.', 'Use tabs.', 'Said by hand.');
  await pin('Use tabs.');
  expect((await rules()).map(({ text, by }) => [text, by])).toEqual([
    ['Said by hand.', 'hand'],
    ['Use tabs.', 'hook'],
  ]);
  const [, mine] = await rules();
  await session.pin({ removes: mine?.entry ?? '' });
  await pin('Use tabs.');
  expect((await rules()).map(({ text }) => text)).toEqual(['Said by hand.']);
});

test('what cannot be carried is reported, and the others are pinned', async () => {
  const { pin, rules, failures } = await made();
  await pin('x'.repeat(400), 'Use tabs.', ...Array.from({ length: 5 }, (_, index) => `${index}`.repeat(250)));
  expect((await rules()).map(({ text }) => text.length)).toEqual([9, 250, 250, 250]);
  expect(failures.map(({ kind }) => kind)).toEqual(['answer', 'answer', 'answer']);
});
