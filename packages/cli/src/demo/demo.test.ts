import { check, readConversation } from 'longhaul/message';
import { expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';
import { demoRequest } from './conversation.ts';
import { makeDemo } from './demo.ts';

test('the conversation of the demo is legal before it breaks', () => {
  const { conversation, dialect } = readConversation({ value: demoRequest });
  expect(check(conversation.messages, dialect)).toEqual([]);
});

test('every conversion says the same, every accident is found, and every dialect ends legal', () => {
  const demo = makeDemo();
  expect(demo.conversions.map(({ same }) => same)).toEqual([true, true, true, true]);
  expect(new Set(demo.problems.map(({ code }) => code))).toEqual(
    new Set(['orphaned-result', 'duplicate-result', 'unanswered-call']),
  );
  expect(demo.legalFor).toHaveLength(4);
});

test('it fits on one screen, and prints the same each time', async () => {
  const [first, second] = [memoryIo(), memoryIo()];
  expect(await run({ argv: ['demo'], io: first })).toBe(0);
  await run({ argv: ['demo'], io: second });
  const lines = first.printed.stdout.split('\n');
  expect(lines.length).toBeLessThanOrEqual(41);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(second.printed).toEqual(first.printed);
});

test('colours are used on a terminal and nowhere else', async () => {
  const [terminal, pipe] = [memoryIo({ terminal: true }), memoryIo()];
  await run({ argv: ['demo'], io: terminal });
  await run({ argv: ['demo'], io: pipe });
  expect(terminal.printed.stdout).toContain('\u001b[');
  expect(pipe.printed.stdout).not.toContain('\u001b');
});
