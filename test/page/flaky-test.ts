import type { Session, Store } from 'longhaul/session';
import { answer, call, openStory, result, say, thought, words } from './story.ts';

const log = Array.from({ length: 40 }, (_, index) => `  ✓ cart/${index}.test.ts (${index % 7} tests)`).join('\n');

/** A session as people have them: a bug, two tries, one of them left, and a compaction between them. */
export async function flakyTest(): Promise<{ readonly store: Store; readonly session: Session }> {
  const { store, session } = await openStory({ name: 'The login test that fails on Mondays' });
  await session.append({
    type: 'message',
    message: { role: 'system', parts: [{ type: 'text', origin: 'engine', text: 'You are a careful engineer.' }] },
  });
  await say(session, 'The login test fails in CI about once a day. Find out why, and do not touch `package.json`.');
  await answer(
    session,
    thought('A test that fails once a day smells of time. I look at the test and at what it mocks.'),
    words('I will read the test and run it a few times.'),
    call('c1', 'read', { path: 'src/login/login.test.ts' }),
    call('c2', 'bash', { command: 'npx vitest run src/login --repeat 20' }),
  );
  await result(
    session,
    'c1',
    "test('a session lasts a week', () => {\n  const until = addDays(new Date(), 7);\n  expect(until.getDay()).toBe(1);\n});",
  );
  await result(session, 'c2', `${log}\nFAIL src/login/login.test.ts\nExpected: 1\nReceived: 4`, true);
  const found = await answer(
    session,
    words(
      '## Found it\n\nThe test asks that a week from now is a **Monday**. That is true on Mondays only:\n\n```ts\nexpect(until.getDay()).toBe(1);\n```\n\nTwo ways: freeze the clock, or compare with `addDays` of the same day.',
    ),
  );
  await session.label({ target: found.id, label: 'the cause' });
  await say(session, 'Freeze the clock.');
  await answer(
    session,
    words('I use fake timers.'),
    call('c3', 'edit', { path: 'src/login/login.test.ts', with: "vi.setSystemTime('2026-03-09')" }),
  );
  await result(session, 'c3', 'edited, 1 line');
  await answer(session, words('Done, but three other tests now wait for real time and hang.'));
  await session.move({ to: found.id, summary: { text: 'Freezing the clock made three other tests hang.' } });
  await say(session, 'Then compare with the same day instead.');
  await answer(
    session,
    words('Comparing `getDay()` of both dates.'),
    call('c4', 'edit', { path: 'src/login/login.test.ts', with: 'toBe(new Date().getDay())' }),
  );
  await result(session, 'c4', 'edited, 1 line');
  await answer(session, call('c5', 'bash', { command: 'npx vitest run src/login --repeat 200' }));
  const green = await result(session, 'c5', `${log}\n200 runs, 200 passed`);
  await answer(session, words('200 runs, all green.'));
  await session.compact({
    summary:
      '## Goal\nMake the login test stable; `package.json` stays as it is.\n\n## Done\n- the test asked for a Monday; it compares days now\n- 200 runs green',
    firstKeptId: green.id,
    tokensBefore: 1200,
    trigger: 'threshold',
  });
  await say(session, 'Good. Write the commit message, one line.');
  await answer(session, words('`Let the login test pass on every day of the week`'));
  return { store, session };
}
