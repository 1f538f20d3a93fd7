import { expect, test } from 'vitest';
import { user } from '../../message/index.ts';
import { begin } from '../fixtures/agent.ts';
import { openPlanMode } from './plan-mode.ts';

const text = 'Goal: x\n\n- first\n  - detail\n- [x] second';

async function planning({ isPlanning = true } = {}) {
  const { session } = await begin();
  const plans = await openPlanMode({ session, isPlanning: () => isPlanning });
  const call = async (input: Record<string, string | number>) => {
    const [tool] = plans.tools({ window: 1 });
    const outcome = await tool?.run({ input, callId: 'c', signal: new AbortController().signal });
    return outcome?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
  };
  return { session, plans, call };
}

test('a proposed plan is approved, ticked off, and read again from the log', async () => {
  const { session, plans, call } = await planning();
  expect(await call({ text })).toContain('2 steps');
  expect(plans.current()).toMatchObject({
    status: 'proposed',
    steps: [{ status: 'pending' }, { status: 'completed' }],
  });
  const { parts } = await plans.approve();
  expect(parts.map(({ origin }) => origin)).toEqual(['human', 'engine']);
  expect(await call({ step: 1, status: 'completed' })).toContain('1. [x] first');
  const again = await openPlanMode({ session, isPlanning: () => false });
  expect(again.current()).toEqual(plans.current());
  expect(again.tools({ window: 1 })).toHaveLength(1);
  expect(await session.session.read({ types: ['pin'] })).toMatchObject([{ text: expect.stringContaining(text) }]);
});

test('only the user changes an approved plan', async () => {
  const { plans, call } = await planning({ isPlanning: false });
  await plans.propose(text);
  await plans.approve({ text: `${text}\n- third` });
  expect(await call({ text: 'another' })).toContain('only the user can change it');
  expect(plans.current()?.steps).toHaveLength(3);
});

test('bad input is one sentence; without a plan there is nothing to approve and no tool', async () => {
  const { plans, call } = await planning();
  for (const input of [
    {},
    { text: ' ' },
    { text: 'x'.repeat(50_000) },
    { step: 1, status: 'done' },
    { step: 9, status: 'failed' },
  ])
    expect(await call(input)).toMatch(/Give the plan as Markdown/);
  await expect(plans.approve()).rejects.toThrow('no plan to approve');
  expect((await planning({ isPlanning: false })).plans.tools({ window: 1 })).toEqual([]);
  expect(plans.prompt(user('Go.')).parts.map(({ origin }) => origin)).toEqual(['human', 'engine']);
});

test('outside plan mode prompts and answers stay what they are; in it, the first answer with a list is a plan', async () => {
  const { plans: off } = await planning({ isPlanning: false });
  expect(off.prompt(user('Go.'))).toEqual(user('Go.'));
  await off.takeAnswer(text);
  expect(off.current()).toBeUndefined();
  const { plans } = await planning();
  for (const answer of ['No list.', text, '- another']) await plans.takeAnswer(answer);
  expect(plans.current()).toMatchObject({ text, status: 'proposed' });
});
