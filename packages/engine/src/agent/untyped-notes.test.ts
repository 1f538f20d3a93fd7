import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { begin, modelOf } from '../engine/fixtures/engine.ts';
import { say } from '../engine/fixtures/messages.ts';
import { followState } from '../engine/state.ts';
import { bringIn, takeOut } from '../formats/fixtures/bring-in.ts';
import { h, SystemMessage } from '../prompt/index.ts';
import { upgradeEntry } from '../session/index.ts';
import { readPending } from './pending.ts';

/** A log that a version wrote whose notes of engine and agent were `custom` entries. */
const text = readFileSync(new URL('../session/fixtures/untyped-notes.jsonl', import.meta.url), 'utf8');

const kinds = [
  ...['head_prompt', 'partial_answer', 'provider_compaction', 'queued_prompt', 'summary_job', 'tool_started'],
  ...['tools_change', 'window_limit', 'withdrawn_prompt', 'working_state'],
];

test('a log with untyped notes opens: reading gives typed entries, the stored ones stay as they are', async () => {
  const { live, entries, codes } = await bringIn({ text });
  expect(codes).toEqual([]);
  const stored = entries.filter((entry) => entry.type === 'custom');
  expect(stored.length).toBe(14);
  const read = await live.read({ types: kinds });
  expect([...new Set(read.map(({ type }) => type))].toSorted()).toEqual(kinds);
  expect(read.map(({ id, handle, parentId }) => ({ id, handle, parentId }))).toEqual(
    stored
      .filter(({ customType }) => customType !== 'todo')
      .map(({ id, handle, parentId }) => ({ id, handle, parentId })),
  );
  expect(await live.read({ types: ['custom'] })).toMatchObject([{ customType: 'todo', data: { open: 2 } }]);
  expect((await live.read({ after: 0 })).filter(({ type }) => type === 'custom')).toHaveLength(1);
});

test('state, queued prompts and the interrupted answer of such a log are what they were', async () => {
  const { live } = await bringIn({ text });
  expect(await followState(live)()).toMatchObject({
    limits: { 'test/test': 6_000 },
    workingState: {
      plan: 'then the docs',
      todos: [{ text: 'run them', done: false }],
      skills: { review: 'Read twice.' },
    },
    tools: [{ name: 'bash' }],
    model: 'test/test',
    previous: { narrative: { sections: { overview: 'NARRATIVE of it all' } } },
  });
  const pending = await readPending({ session: live, tools: [] });
  expect(pending.messages).toMatchObject([{ key: 'k1', how: 'steered' }]);
  expect(pending.partial?.parts).toMatchObject([{ text: 'I would' }]);
});

test('a request after such a log continues it: same head, tools and window, no epoch for them', async () => {
  const { store, live } = await bringIn({ text });
  const { session } = await begin({ store, id: live.id });
  const before = session.context.items[0]?.message;
  const prepared = await session.prepare({
    model: modelOf({ window: 8_000 }),
    head: h(SystemMessage, {}, 'Be brief.'),
    tools: await session.tools(),
    turn: { messages: [say('go on')] },
  });
  expect(prepared.head).toEqual([before]);
  expect(prepared.report.budget.window).toBe(6_000);
  expect(prepared.report.opened.filter(({ reason }) => reason === 'head' || reason === 'model')).toEqual([]);
  expect(prepared.bound).toBeLessThanOrEqual(prepared.report.budget.limit);
});

test('exports of such a log keep its notes, and a file of pi gives them back', async () => {
  const { store, live } = await bringIn({ text });
  expect((await takeOut({ store, session: live.id, format: 'longhaul' })).text).toBe(text);
  const pi = await bringIn({ text: (await takeOut({ store, session: live.id, format: 'pi' })).text });
  const typed = (await pi.live.read({ after: 0 })).map(({ type }) => type).filter((type) => kinds.includes(type));
  expect(typed).toEqual((await live.read({ types: kinds })).map(({ type }) => type));
});

test('a usage entry of an older version keeps the compactions of the provider under their current name', () => {
  const counts = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
  const base = { v: 1, id: 'a', parentId: null, handle: 1, at: 0, epoch: null, type: 'usage' } as const;
  const old = { ...base, usage: { ...counts, beside: counts } };
  expect(upgradeEntry(old)).toEqual({ ...base, usage: { ...counts, providerCompaction: counts } });
  const invalid = { ...base, usage: { ...counts, beside: 'x' } };
  expect(upgradeEntry(invalid)).toEqual({ ...base, usage: counts });
});

test('a note that its schema does not accept stays a custom note', () => {
  const base = { v: 1, id: 'a', parentId: null, handle: 1, at: 0, epoch: null, type: 'custom' } as const;
  const wrong = { ...base, customType: 'longhaul:limit', data: { model: 'a/b', window: 'large' } };
  expect(upgradeEntry(wrong)).toBe(wrong);
  const other = { ...base, customType: 'longhaul:hook', data: { why: 'exit code 1' } };
  expect(upgradeEntry(other)).toBe(other);
  const hostile = { ...base, customType: 'longhaul:started', data: { call: 'c', id: 'b', handle: 9, type: 'leaf' } };
  expect(upgradeEntry(hostile)).toMatchObject({ id: 'a', handle: 1, type: 'tool_started', call: 'c' });
});
