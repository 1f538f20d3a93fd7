import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { agentWorld } from './provider.ts';

/** Reads a file and runs a check for the first prompt; answers everything else. */
function script({ body }: LoopbackRequest): LoopbackSpoken {
  const text = JSON.stringify(body);
  if (!text.includes('Fix the parser.') || text.includes('tool_result')) return { text: 'Done.' };
  return { toolCalls: [{ name: 'read', arguments: { file_path: 'src/parser.ts' } }] };
}

test('what one session learned reaches the next, stays the same when it is resumed, and can be dismissed', async () => {
  const { call, cwd, server } = await agentWorld({ script });
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src', 'parser.ts'), 'export {};\n');
  const first = await call(['-p', 'Fix the parser. Always use tabs in this repository.', '--memory-consolidate']);
  expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Notes of earlier sessions') });
  expect(JSON.stringify(server.requests[0]?.body)).toContain('"context_board"');

  // A process of its own consolidates the session; until it is done, the board is empty.
  const list = async () => (await call(['memory', 'list'])).stdout;
  await expect.poll(list, { timeout: 30_000, interval: 300 }).toContain('Always use tabs');

  // Cache breakpoints move with the conversation.
  const headOf = (index: number) =>
    JSON.stringify((server.requests.at(index)?.body as { system?: unknown })?.system).replaceAll(
      ',"cache_control":{"type":"ephemeral"}',
      '',
    );
  const second = await call(['-p', 'Look at the parser again.']);
  expect(second.stderr).toContain('Notes of earlier sessions');
  expect(second.stderr).toMatch(/[0-9a-f]{8} {2}Always use tabs in this repository\./);
  expect(headOf(-1)).toContain('- Always use tabs in this repository. (said by the user)');
  const head = headOf(-1);

  const id = /([0-9a-f]{8}) {2}Always/.exec(second.stderr)?.[1] ?? '';
  expect((await call(['memory', 'vote', id, 'down'])).code).toBe(0);
  await call(['-p', 'Go on.', '--continue']);
  expect(headOf(-1)).toBe(head);
  const third = await call(['-p', 'Something new.']);
  expect(third.stderr).not.toContain('Always use tabs');
  expect(headOf(-1)).not.toContain('Always use tabs');

  const off = await call(['-p', 'Without it.', '--no-memory']);
  expect(off.code).toBe(0);
  expect(headOf(-1)).not.toContain('<memory');
  expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('"context_board"');
});

test('memory in the repository is a file that people can read and edit', async () => {
  const { call, cwd } = await agentWorld({ script });
  const run = (...args: readonly string[]) => call(['memory', ...args, '--in-repo']);
  expect((await run('add', 'Tests need Docker.', '--kind', 'pitfall')).code).toBe(0);
  const file = join(cwd, '.longhaul', 'memory.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Docker.', 'Docker 28.').concat('- Ports are random.\n'));
  const { stdout } = await run('list');
  expect(stdout).toContain('Tests need Docker 28.');
  expect(stdout).toContain('Ports are random.');
  expect((await call(['memory', 'list'])).stdout).not.toContain('Docker');
  expect(existsSync(file)).toBe(true);
});
