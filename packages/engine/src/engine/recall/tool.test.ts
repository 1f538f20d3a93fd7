import { Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { assistant } from '../../message/index.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { say } from '../fixtures/messages.ts';
import { createRecallTool } from './tool.ts';

const model = modelOf({ window: 100_000 });
const count = (text: string) => text.length;

async function start() {
  const { session } = await begin();
  await session.prepare({ model, turn: { messages: [say('The port is 8432.'), say('line\n'.repeat(2_000))] } });
  return session.session;
}

describe('recall for a model', () => {
  test('gives the exact text of a handle', async () => {
    const tool = createRecallTool({ session: await start(), count });
    expect(await tool.run({ arguments: '{"handle":"@2"}' })).toBe('The port is 8432.');
  });

  test('gives a long text page by page, each within the bound', async () => {
    const tool = createRecallTool({ session: await start(), count, perCall: 500, perTurn: 5_000 });
    const first = await tool.run({ arguments: '{"handle":"@3"}' });
    expect(first.length).toBeLessThanOrEqual(500);
    expect(first).toMatch(/\[page 1 of \d+; give page 2 for the next\]$/);
  });

  test('finds by words, with handles to go on from', async () => {
    const tool = createRecallTool({ session: await start(), count });
    expect(await tool.run({ arguments: '{"query":"which port"}' })).toBe('@2:1-1\nThe port is 8432.');
    expect(await tool.run({ arguments: '{"query":"zebra"}' })).toContain('Nothing was found');
  });

  test('gives nothing twice in a turn', async () => {
    const tool = createRecallTool({ session: await start(), count });
    const again = { arguments: '{"query":"port"}' };
    expect(await tool.run(again)).toContain('8432');
    expect(await tool.run(again)).not.toMatch(/^@2:1-1/);
    tool.beginTurn();
    expect(await tool.run(again)).toContain('@2:1-1');
  });

  test('finds what lies millions of characters back, and was summarized since', async () => {
    const session = await start();
    const answer = (text: string) => ({ type: 'message', message: assistant(text) }) as const;
    await session.append(answer(`${'Nothing of note. '.repeat(20)}\nThe walrus sleeps in drawer 17.`));
    for (let n = 0; n < 25; n += 1) await session.append(answer(`part ${n} of the work\n`.repeat(5_000)));
    const firstKeptId = session.head.leaf;
    await session.compact({ summary: 'Much was done.', firstKeptId, tokensBefore: 1, trigger: 'manual' });
    const tool = createRecallTool({ session, count });
    expect(await tool.run({ arguments: '{"query":"walrus drawer"}' })).toMatch(/^@4:\d-\d\n.*drawer 17/s);
  });

  test('finds what was said on a branch that was left', async () => {
    const session = await start();
    const place = session.head.leaf;
    await session.append({ type: 'message', message: say('The password hint is walrus.') });
    await session.move({ to: place });
    const tool = createRecallTool({ session, count });
    expect(await tool.run({ arguments: '{"query":"walrus"}' })).toContain('walrus');
  });

  test('cannot fill the window again: a turn has a budget, the next turn another', async () => {
    const tool = createRecallTool({ session: await start(), count, perCall: 400, perTurn: 600 });
    let total = 0;
    for (let turn = 0; turn < 20; turn += 1) total += (await tool.run({ arguments: '{"handle":"@3"}' })).length;
    expect(total).toBeLessThan(600 + 20 * 110);
    expect(await tool.run({ arguments: '{"handle":"@3"}' })).toContain('used up');
    tool.beginTurn();
    expect(await tool.run({ arguments: '{"handle":"@3"}' })).toContain('line');
  });

  test('answers a bad call in words', async () => {
    const tool = createRecallTool({ session: await start(), count });
    expect(await tool.run({ arguments: '{"handle":"@99"}' })).toContain('@99');
    expect(await tool.run({ arguments: 'not json' })).toContain('Give a handle');
  });
});

describe('recall search runs in a worker, not in the thread of the agent', () => {
  test('and finds there what it would find here', async () => {
    const session = await start();
    const [there, here] = [createRecallTool({ session, count }), createRecallTool({ session, count, worker: false })];
    const posted = vi.spyOn(Worker.prototype, 'postMessage');
    for (const query of ['which port', 'line', 'zebra', 'port 8432']) {
      const call = { arguments: JSON.stringify({ query }) };
      expect(await there.run(call)).toBe(await here.run(call));
    }
    expect(posted.mock.calls.length).toBeGreaterThan(4);
    posted.mockRestore();
  });

  test('a worker that cannot be started is not missed', async () => {
    const tool = createRecallTool({ session: await start(), count });
    const broken = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(() => {
      throw new Error('no worker');
    });
    expect(await tool.run({ arguments: '{"query":"which port"}' })).toBe('@2:1-1\nThe port is 8432.');
    broken.mockRestore();
  });
});
