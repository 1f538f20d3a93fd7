import { createMemoryStore, createSession, type Session } from 'longhaul/session';
import { expect, test } from 'vitest';
import { readLog } from '../session/read-log.ts';
import { decisionsAmong } from './watch.ts';

const say = (text: string) => ({
  type: 'message' as const,
  message: { role: 'user' as const, parts: [{ type: 'text' as const, origin: 'human' as const, text }] },
});

async function reported(work: (session: Session) => Promise<unknown>) {
  const store = createMemoryStore();
  const session = await createSession({ store, header: {} });
  await session.append(say('hello'));
  await work(session);
  return await Array.fromAsync(decisionsAmong(readLog({ store, session: session.id })));
}

test('a compaction and the epoch that puts it in force are one, with both sizes', async () => {
  const [decided, ...others] = await reported((session) =>
    session.compact({
      summary: 'long',
      shortSummary: 'Said hello',
      firstKeptId: null,
      tokensBefore: 9_000,
      trigger: 'overflow',
      details: { rung: 'fork', why: 'It was time.' },
      price: { tokens: 1_200 },
    }),
  );
  expect(others).toEqual([]);
  expect(decided).toMatchObject({
    kind: 'compaction',
    what: 'compacted (overflow, fork): 9,000 -> 1,200 tokens: Said hello',
    facts: { trigger: 'overflow', strategy: 'fork', tokensBefore: 9_000, tokensAfter: 1_200, why: 'It was time.' },
  });
});

test('the models that were called and their cost are reported; late answers are not repeated', async () => {
  const attempts = [
    { rung: 'fork', outcome: 'empty', ms: 5, cost: 0.001 },
    { rung: 'full', outcome: 'accepted', ms: 9 },
  ];
  const decided = await reported(async (session) => {
    await session.append({
      type: 'custom',
      customType: 'longhaul:narrative',
      data: { narrative: { short: 'private' } },
    });
    const compaction = { summary: 's', firstKeptId: null, tokensBefore: 900, trigger: 'background' };
    await session.compact({ ...compaction, details: { rung: 'full', attempts, tokensAfter: 90 } });
  });
  expect(decided.map(({ what }) => what)).toEqual([
    'kept a late model summary for the next compaction',
    'compacted (background, full): 900 -> 90 tokens, 2 calls for $0.0010',
  ]);
  expect(JSON.stringify(decided)).not.toContain('private');
});

test('every decision is reported, and nothing else', async () => {
  const kinds = await reported(async (session) => {
    const first = await session.append(say('one'));
    await session.append(say('two'));
    await session.append({ type: 'custom', customType: 'longhaul:tools', data: { hash: 'x' } });
    await session.append({ type: 'custom', customType: 'other:limit', data: { window: 1 } });
    await session.append({ type: 'custom', customType: 'longhaul:hook', data: { why: 'It ended with exit code 1' } });
    await session.append({ type: 'checkpoint', number: 2, title: 'Fixing\u001b[2J' });
    await session.append({ type: 'label', target: first.id, label: 'here' });
    await session.append({ type: 'epoch', reason: 'guard', items: { list: [] }, codec: 1, price: { tokens: 50 } });
    await session.append({ type: 'epoch', reason: 'strange', items: { list: [] }, codec: 1 });
    await session.pin({ text: 'Use tabs.' });
    await session.move({ to: first.id });
    await session.append({ type: 'branch_summary', fromId: null, summary: 'secret' });
  });
  expect(kinds.map(({ kind, what }) => [kind, what])).toEqual([
    ['hook', 'hook: It ended with exit code 1'],
    ['checkpoint', 'checkpoint 2: Fixing\u001b[2J'],
    ['guard', 'cut to fit the window, 50 tokens no longer cached'],
    ['epoch', 'the context changed: strange'],
    ['pin', 'pinned: Use tabs.'],
    ['move', 'moved in the tree'],
    ['branch', 'summarized the abandoned branch'],
  ]);
});
