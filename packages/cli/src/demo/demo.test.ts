import { check, readConversation } from 'longhaul/message';
import { expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';
import { demoRequest } from './conversation.ts';
import { runDemo } from './demo.ts';

test('the conversation of the demo is legal', () => {
  const { conversation, dialect } = readConversation({ value: demoRequest });
  expect(check(conversation.messages, dialect)).toEqual([]);
});

test('everything acknowledged is found, on both branches, byte for byte', async () => {
  const demo = await runDemo({ io: memoryIo(), dir: '/tmp/demo' });
  expect(demo.crash).toEqual({ acknowledged: 20, found: 20, sound: true });
  expect(demo.branch).toEqual({ from: '@4', abandoned: 6 });
  expect(demo.recall).toMatchObject({ exact: true });
  expect(demo.search.hits.length).toBeGreaterThan(0);
  expect(demo.tree.problems).toEqual([]);
});

test('a session that outgrows its window three times keeps rules, words and files, and undo is exact', async () => {
  const { growth } = await runDemo({ io: memoryIo(), dir: '/tmp/demo' });
  expect(growth.compactions).toHaveLength(3);
  for (const { before, after, rules, words, files } of growth.compactions) {
    expect(before).toBeLessThan(growth.window);
    expect(after).toBeLessThan(before * 0.8);
    for (const { kept, of } of [rules, words, files]) expect(kept).toBe(of);
  }
  expect(growth.undo.exact).toBe(true);
  expect(growth.undo.messages).toBeGreaterThan(growth.sent);
});

test('its summaries are made by a model beside the work, and no request waits for it', async () => {
  const { growth } = await runDemo({ io: memoryIo(), dir: '/tmp/demo' });
  expect(growth.waited).toBe(0);
  for (const { rung, job } of growth.compactions) {
    expect(rung).toBe('fork');
    expect(job.ready - job.begun).toBeGreaterThanOrEqual(growth.takes);
    expect(job.meanwhile).toBeGreaterThan(0);
    expect(job.installed).toBeGreaterThanOrEqual(job.ready);
  }
});

test('it fits on little more than one screen, prints the same each time, and leaves nothing behind', async () => {
  const [first, second] = [memoryIo(), memoryIo()];
  expect(await run({ argv: ['demo'], io: first })).toBe(0);
  await run({ argv: ['demo'], io: second });
  const lines = first.printed.stdout.split('\n');
  expect(lines.length).toBeLessThanOrEqual(55);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(second.printed).toEqual(first.printed);
  expect(first.stores.size).toBe(0);
});

test('colours are used on a terminal and nowhere else', async () => {
  const [terminal, pipe] = [memoryIo({ terminal: true }), memoryIo()];
  await run({ argv: ['demo'], io: terminal });
  await run({ argv: ['demo'], io: pipe });
  expect(terminal.printed.stdout).toContain('\u001b[');
  expect(pipe.printed.stdout).not.toContain('\u001b');
});
