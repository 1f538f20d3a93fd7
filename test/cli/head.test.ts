import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld, resultsIn } from './provider.ts';

const read = { name: 'read', arguments: { file_path: 'packages/app/a.ts' } };

/** The system prompt of a request, as JSON. */
function headOf(body: unknown): string {
  return JSON.stringify((body as { readonly system?: unknown }).system);
}

test('the head has the environment and all instruction files; those of other folders come when work moves there', async () => {
  const { cwd, env, server } = await agentWorld({
    script: ({ body }) => (resultsIn(body) === 0 ? { toolCalls: [read] } : { text: 'Done.' }),
  });
  const files = {
    'home/.claude/CLAUDE.md': 'Answer in German. See @mine.md\n',
    'home/.claude/mine.md': 'Never use tabs.\n',
    'home/.config/longhaul/AGENTS.md': 'Prefer small commits.\n',
    'AGENTS.md': 'Use pnpm.\n@docs/style.md and @../outside.md; `@docs/not.md`\n',
    'docs/style.md': 'Two spaces. @../AGENTS.md\n',
    'docs/not.md': 'Only mentioned.\n',
    'packages/app/AGENTS.md': 'This package is frozen.\n',
    'packages/app/a.ts': 'export const a = 1;\n',
    '.claude/skills/bare/SKILL.md': 'No front matter.\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
  git('init', '-q', '-b', 'feature/login');
  git('add', 'AGENTS.md');
  git('commit', '-q', '-m', 'first');
  const call = (...args: string[]) =>
    longhaul({ args: [...args, '--store', 'home/store'], cwd, env: { ...env, HOME: join(cwd, 'home') } });
  const first = await call('-p', 'Go.', '--append-system-prompt', 'Be brief.');
  expect(first).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(first.stderr).toMatch(/The skill \S+SKILL\.md is not used: its front matter needs a name and a description\./);
  const head = headOf(server.requests[0]?.body);
  const order = ['Answer in German', 'Never use tabs', 'Prefer small commits', 'Use pnpm', 'Two spaces', 'Be brief.'];
  expect(order.map((text) => head.indexOf(text))).toEqual(
    order.map((text) => head.indexOf(text)).toSorted((a, b) => a - b),
  );
  for (const text of order) expect(head.split(text), text).toHaveLength(2);
  expect(head).toMatch(/Date: \d{4}-\d\d-\d\d\\nSystem: \S+ .*\\nGit: feature\/login, \d+ untracked/);
  expect(head).not.toContain('Only mentioned');
  expect(head).not.toContain('This package is frozen');
  expect(server.requests[1]?.text.split('This package is frozen.')).toHaveLength(2);

  // The environment has changed; the head has not, and the change is part of the turn.
  git('checkout', '-q', '-b', 'other');
  await call('-p', 'Again.', '--continue', '--append-system-prompt', 'Be brief.');
  const last = server.requests.at(-1)?.body as { system?: unknown; messages: unknown };
  expect(JSON.stringify(last.system)).toContain('Git: feature/login');
  expect(JSON.stringify(last.messages)).toContain('Git: other');

  await call('-p', 'Go.', '--system-prompt', 'You are a poet.');
  const replaced = headOf(server.requests.at(-1)?.body);
  expect(replaced).toContain('You are a poet.');
  expect(replaced).toContain('Use pnpm.');
  expect(replaced).not.toContain('How you work');
});

test("hooks in Claude Code's format run", async () => {
  const { call, cwd } = await agentWorld({
    script: ({ body }) =>
      resultsIn(body) === 0 ? { toolCalls: [{ name: 'find', arguments: { pattern: '*' } }] } : { text: 'Done.' },
  });
  const hooks = { PreToolUse: [{ matcher: 'Glob', hooks: [{ type: 'command', command: 'echo No. >&2; exit 2' }] }] };
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ hooks }));
  const { code, stderr } = await call(['-p', 'Go.', '--config', 'mine.json']);
  expect(code).toBe(0);
  expect(stderr).toContain('a hook denied it: No.');
});
