import { expect, test } from 'vitest';
import { begin, modelOf } from '../fixtures/engine.ts';
import { call, result, say } from '../fixtures/messages.ts';

const model = modelOf({ window: 40_000 });

test('old tool outputs give way before a compaction is thought of, and come back by undo', async () => {
  const { session } = await begin();
  const pruned: number[] = [];
  session.on('prune', ({ tokensFreed }) => void pruned.push(tokensFreed));
  await session.prepare({ model, turn: { messages: [say('look')] } });
  for (const id of ['a', 'b', 'c', 'd']) {
    await session.append({ type: 'message', message: call(id) });
    await session.append({ type: 'message', message: result(id, id.repeat(9000)) });
  }
  const before = JSON.stringify(session.context.items);
  const prepared = await session.prepare({ model });
  expect(prepared.report.opened.map(({ reason }) => reason)).toEqual(['prune']);
  expect(pruned).toEqual([expect.any(Number)]);
  const sent = JSON.stringify(prepared.items);
  const [, handle = ''] = /\[Output of 9000 tokens elided; recall (@\d+\.1) for all of it\]/.exec(sent) ?? [];
  expect((await session.recall({ handle })).text).toBe('a'.repeat(9000));
  expect(sent).toContain('d'.repeat(9000));
  await session.undo();
  expect(JSON.stringify(session.context.items)).toBe(before);
});
