import { describe, expect, test } from 'vitest';
import type { ReportedUsage } from '../../tokens/index.ts';
import type { EngineSession } from '../engine-session.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { answer, call, result, say } from '../fixtures/messages.ts';
import { createPolicy } from '../policy/presets.ts';
import type { Prepared } from '../types.ts';

const model = modelOf({ window: 40_000 });
const hour = { name: '1h', seconds: 3600, writeFactor: 2 };

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
  const withOutputs = async (input: Parameters<typeof begin>[0] & { readonly ids?: string } = {}) => {
    const { ids = 'abc', ...options } = input;
    const made = await begin(options);
    await made.session.prepare({ model, turn: { messages: [say('look')] } });
    for (const id of ids) {
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
    const { session, again } = await withOutputs({
      policy: createPolicy({ when: { threshold: 0.35 } }),
      ids: 'abcdefgh',
    });
    const large = modelOf({ window: 200_000 });
    expect((await session.prepare({ model: large })).report.opened.map(({ reason }) => reason)).toEqual(['prune']);
    await session.undo();
    expect((await (await again()).prepare({ model: large })).report.opened).toEqual([]);
  });
});

describe('one epoch, where one is enough', () => {
  const reasonsOf = ({ report }: Prepared) => report.opened.map(({ reason }) => reason);
  /** Outputs of so many tokens each, under one name after the other. */
  const output = async ({ session, id, tokens }: { session: EngineSession; id: string; tokens: number }) => {
    await session.append({ type: 'message', message: call(id) });
    await session.append({ type: 'message', message: result(id, 'x'.repeat(tokens)) });
  };
  const read = async ({ session, id, tokens }: { session: EngineSession; id: string; tokens: number }) => {
    const part = { type: 'tool_call', origin: 'model', id, name: 'Read', arguments: '{"file_path":"a.ts"}' } as const;
    await session.append({ type: 'message', message: { role: 'assistant', parts: [part] } });
    await session.append({ type: 'message', message: result(id, `${id} ${'y'.repeat(tokens)}`) });
  };

  test('what pruning cannot bring under the limit is compacted at once, and not pruned first', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('look')] } });
    await session.append({ type: 'message', message: answer('z'.repeat(24_000)) });
    for (const id of 'abc') await output({ session, id, tokens: 9_000 });
    expect(reasonsOf(await session.prepare({ model }))).toEqual(['compaction']);
    expect(await session.session.read({ types: ['prune'] })).toEqual([]);
  });

  test('a long session in a small window is pruned a few times between two compactions, not a dozen times', async () => {
    const { session } = await begin();
    const small = modelOf({ window: 32_000 });
    const opened: string[] = [];
    for (let turn = 0; turn < 150; turn += 1) {
      const prepared = await session.prepare({ model: small, turn: { messages: [say(`step ${turn}`)] } });
      opened.push(...reasonsOf(prepared));
      expect(reasonsOf(prepared).length).toBeLessThanOrEqual(1);
      await session.report({ usage: { input: prepared.tokens } });
      await output({ session, id: `c${turn}`, tokens: 700 });
      await session.append({ type: 'message', message: answer('done '.repeat(30)) });
    }
    const compactions = opened.filter((reason) => reason === 'compaction').length;
    expect(compactions).toBeGreaterThan(1);
    expect(opened.filter((reason) => reason === 'prune').length).toBeLessThanOrEqual(compactions * 5);
  });

  test('C4: where reads that are of no more use are enough, nothing else goes', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('look')] } });
    await output({ session, id: 'old', tokens: 2_000 });
    for (const id of ['r1', 'r2']) await read({ session, id, tokens: 11_000 });
    const prepared = await session.prepare({ model });
    expect(reasonsOf(prepared)).toEqual(['prune']);
    const sent = JSON.stringify(prepared.items);
    expect(sent).toContain('[a.ts was read again at');
    expect(sent).toContain('x'.repeat(2_000));
  });

  test('a compaction takes reads that are of no more use from what stays, in its own epoch', async () => {
    const { session } = await begin();
    await session.prepare({ model, turn: { messages: [say('look')] } });
    await session.append({ type: 'message', message: answer('z'.repeat(30_000)) });
    await session.append({ type: 'message', message: say('read it') });
    for (const id of ['r1', 'r2']) await read({ session, id, tokens: 2_000 });
    const before = JSON.stringify(session.context.items);
    const prepared = await session.prepare({ model });
    expect(reasonsOf(prepared)).toEqual(['compaction']);
    const sent = JSON.stringify(prepared.items);
    const [, handle = ''] = /a\.ts was read again at @\d+; recall (@\d+\.1) for all of it/.exec(sent) ?? [];
    expect((await session.recall({ handle })).text).toBe(`r1 ${'y'.repeat(2_000)}`);
    expect(sent).toContain(`r2 ${'y'.repeat(2_000)}`);
    await session.undo();
    expect(JSON.stringify(session.context.items)).toBe(before);
  });

  describe('stella#4381: what the provider still holds', () => {
    const { info, ...rest } = model;
    const cached = {
      ...rest,
      info: { ...info, cache: { how: 'explicit', readFactor: 0.1, lifetimes: [hour] } },
    } as const;
    const begun = async (usage: ReportedUsage) => {
      const { session } = await begin();
      const { tokens } = await session.prepare({ model: cached, turn: { messages: [say('look')] } });
      await session.report({ usage: { ...usage, input: tokens - (usage.cacheRead ?? 0) } });
      for (const id of 'abcd') await output({ session, id, tokens: 9_000 });
      return reasonsOf(await session.prepare({ model: cached }));
    };

    test('is not read anew for what frees too little: that is compacted', async () => {
      expect(await begun({ input: 0, cacheRead: 5 })).toEqual(['compaction']);
    });

    test('is elided where the cache is cold', async () => {
      expect(await begun({ input: 0 })).toEqual(['prune']);
    });
  });
});
