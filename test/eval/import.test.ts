import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../architecture/imports.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhaul-eval-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const chat = '# aider chat started at 2026-01-02 03:04:05\n\n#### hi  \n\nHello.\n\n> Tokens: 10 sent, 5 received.  \n';
const counts = { messages: 2, tool_calls: 0, tool_results: 1, thinking_blocks: 0, images: 0, est_tokens: 9 };

/** Evaluates a folder with one chat of aider, listed as `listed` says. */
function evaluate({ listed, flags = [] }: { readonly listed: object; readonly flags?: readonly string[] }) {
  writeFileSync(join(folder, 'chat.md'), chat);
  const session = { file: 'chat.md', format: 'aider-chat-md', ...counts, ...listed };
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ sessions: [session] }));
  const args = ['--conditions=longhaul-source', join(root, 'eval/main.ts'), 'import', folder, ...flags];
  try {
    return { code: 0, text: execFileSync(process.execPath, args, { encoding: 'utf8' }) };
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: string };
    return { code: status, text: stdout };
  }
}

test('what is in the log is compared with what the list says', () => {
  const { code, text } = evaluate({ listed: {} });
  expect(code).toBe(0);
  expect(text).toMatch(/^\| aider \| 1 of 1 \| 2 \| 0 \| 1 \| 0 \| 0 \| .* \| 1\/1 \| 1\/1 \| 2\/2 \| 4\/4 \|/m);
  expect(evaluate({ listed: { messages: 3 } }).text).toContain('| 2 of 3 |');
  expect(evaluate({ listed: { est_tokens: 90 } }).text).toContain('far more or less tokens');
});

test('a session that is not read as what it is makes the run fail', () => {
  const { code, text } = evaluate({ listed: { format: 'codex-rollout-jsonl' }, flags: ['--json'] });
  expect(code).toBe(1);
  expect(JSON.parse(text)).toMatchObject([{ failure: 'taken for aider' }]);
});
