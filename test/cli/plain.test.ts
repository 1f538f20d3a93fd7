import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { agentWorld, resultsIn } from './provider.ts';

/** Answers by how many results came before. */
const steps =
  (...answers: readonly LoopbackSpoken[]) =>
  ({ body }: LoopbackRequest): LoopbackSpoken =>
    answers[resultsIn(body)] ?? { text: 'Done.' };

test('a conversation over lines: prompts, a question, a command of the user, slash commands', async () => {
  const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'hello\n' } };
  const { call, cwd, server } = await agentWorld({ script: steps({ text: 'I write.', toolCalls: [write] }) });
  const { code, stdout } = await call(['--plain'], 'Write it.\ny\n!echo from-$((1+1))\nWhat was that?\n/help\n/exit\n');
  expect(code).toBe(0);
  expect(stdout).toContain('I write.\n> write a.txt\n');
  expect(stdout).toMatch(/Allow it\? y = yes, a = always write\(a\.txt\)/);
  expect(stdout).toContain('/help [command]');
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  expect(server.requests.at(-1)?.text).toContain('from-2');
});
