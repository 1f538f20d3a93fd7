import { describe, expect, test } from 'vitest';
import { begin, modelOf } from '../fixtures/engine.ts';
import { call, result, say } from '../fixtures/messages.ts';
import { longhaulPolicy } from './policy.ts';

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

describe('by hand', () => {
  const withOutputs = async (input: Parameters<typeof begin>[0] = {}) => {
    const made = await begin(input);
    await made.session.prepare({ model, turn: { messages: [say('look')] } });
    for (const id of ['a', 'b', 'c']) {
      await made.session.append({ type: 'message', message: call(id) });
      await made.session.append({ type: 'message', message: result(id, id.repeat(9000)) });
    }
    return made;
  };

  test('a dry run tells what pruning does, and writes nothing', async () => {
    const { session } = await withOutputs();
    const { last } = session.session.head;
    const would = await session.prune({ model, dryRun: true });
    expect(session.session.head.last).toBe(last);
    const done = await session.prune({ model });
    expect(would).toEqual({ ...done, installed: false, reason: `It would be done: ${done.reason}` });
    expect(done).toMatchObject({
      installed: true,
      worthwhile: true,
      outputs: ['@4.1', '@6.1'].map((handle) => ({
        handle,
        notice: `[Output of 9000 tokens elided; recall ${handle} for all of it]`,
      })),
    });
    const { tokens } = await session.prepare({ model });
    expect(tokens / done.tokensAfter).toBeCloseTo(1, 2);
  });

  test('what frees too little is left, and the reason says so', async () => {
    const { session } = await withOutputs();
    const { last } = session.session.head;
    expect(await session.prune({ model: modelOf({ window: 400_000 }) })).toMatchObject({
      installed: false,
      worthwhile: false,
      reason: 'No tool output is old enough to go.',
      outputs: [],
    });
    expect(session.session.head.last).toBe(last);
  });

  test('undo holds: outputs that came back do not go again unasked', async () => {
    const { session, again } = await withOutputs({ policy: { ...longhaulPolicy, threshold: 0.2 } });
    const large = modelOf({ window: 80_000 });
    expect((await session.prepare({ model: large })).report.opened.map(({ reason }) => reason)).toContain('prune');
    await session.undo();
    expect((await (await again()).prepare({ model: large })).report.opened).toEqual([]);
  });
});
