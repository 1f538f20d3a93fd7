import { describe, expect, test } from 'vitest';
import { createPermissions } from './create-permissions.ts';
import { isGuardedFile, isSecretFile } from './secret-files.ts';

const guarded = [
  ...[
    'AGENTS.md',
    'docs/agents.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'pkg/AGENTS.override.md',
    'GEMINI.md',
    '.cursorrules',
  ],
  ...['.github/copilot-instructions.md', '.github/instructions/a.instructions.md', '.github/prompts/x.prompt.md'],
  ...[
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/skills/x/SKILL.md',
    'a/b/skill.md',
    '.agents/skills/y',
  ],
  ...[
    'longhaul.config.json',
    '.longhaul/skills/a',
    '.mcp.json',
    '.vscode/mcp.json',
    '.cursor/rules/a.mdc',
    '.codex/config.toml',
  ],
  ...[
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git',
    '.gitmodules',
    '.husky/pre-commit',
    '.githooks/x',
    'lefthook.yml',
  ],
  ...[
    '.pre-commit-config.yaml',
    '.vscode/tasks.json',
    '.vscode/settings.json',
    '.devcontainer/devcontainer.json',
    '.GIT/config',
  ],
];

describe('instructions, hooks and settings', () => {
  test.each(guarded)('%s needs approval to be written, also with --yes and write(**)', async (path) => {
    expect(isGuardedFile(`/p/${path}`)).toBe(true);
    const decide = async (allow: readonly string[], mode: 'yes' | 'auto-edit' = 'yes') =>
      await createPermissions({ mode, allow, cwd: '/p', home: '/home/me' }).decide(
        {
          callId: 'c',
          tool: 'write',
          input: {},
          summary: path,
          access: { kind: 'write', paths: [`/p/${path}`], isOutside: false },
        },
        new AbortController().signal,
      );
    expect(await decide([])).toMatchObject({ allowed: false });
    expect(await decide([], 'auto-edit')).toMatchObject({ allowed: false });
    expect(await decide(['write', 'write(**)', 'write(**/*)'])).toMatchObject({ allowed: false });
    expect(await decide([`write(${path})`])).toMatchObject({ allowed: true });
  });

  test.each([
    'src/agents.ts',
    'docs/claude-api.md',
    'git/hooks.md',
    '.github/workflows/ci.yml',
    '.gitignore',
    'src/skills.md',
  ])('%s is an ordinary file', (path) => {
    expect(isGuardedFile(`/p/${path}`)).toBe(false);
  });
});

test.each([
  '/p/.env',
  '/p/.ENV.local',
  '/h/.bash_history',
  '/h/.m2/settings.xml',
  '/p/prod.tfvars',
  '/proc/12/environ',
  '/proc/self/environ',
])('%s holds secrets', (path) => {
  expect(isSecretFile(path)).toBe(true);
});
