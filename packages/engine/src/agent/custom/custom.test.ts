import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { createMemoryStore } from '../../session/index.ts';
import { characterTokenizer, scriptedModel } from '../../testing/index.ts';
import { all, begin, endOf } from '../fixtures/agent.ts';
import { says, toolOf, writes } from '../fixtures/tools.ts';
import { folderWith } from '../tools/tools.fixture.ts';
import { findAgents, isToolOf, readProfile } from './custom-agent.ts';
import { findCommands, parseCommandLine } from './custom-command.ts';

const reviewer = `---
name: reviewer
description: Reviews changes.
tools: Read, Glob, Bash(git diff:*)
model: haiku
maxTurns: 7
isolation: worktree
---
Look for bugs only.`;

describe('custom agents', () => {
  test('are read from the folders of both agents, the project first; broken ones are reported', async () => {
    const user = folderWith({ 'reviewer.md': reviewer, 'mine.md': '---\ndescription: Mine.\n---\nDo it.' });
    const outside = folderWith({ 'evil.md': reviewer });
    const cwd = folderWith({
      '.claude/agents/reviewer.md': reviewer.replace('bugs only', 'typos'),
      '.longhaul/agents/team/docs.md': '---\nname: docs\ndescription: Docs.\n---\nWrite.',
      '.longhaul/agents/broken.md': 'no front matter',
      '.longhaul/agents/notes.txt': 'not an agent',
    });
    symlinkSync(join(outside, 'evil.md'), join(cwd, '.longhaul/agents/evil.md'));
    const skipped: string[] = [];
    const agents = await findAgents({ cwd, folders: [user, '/missing'], onSkipped: (why) => void skipped.push(why) });
    expect(agents.map(({ name, isProject }) => [name, isProject])).toEqual([
      ['docs', true],
      ['reviewer', true],
      ['mine', false],
    ]);
    expect(agents[1]).toMatchObject({
      instructions: 'Look for typos.',
      tools: ['read', 'find', 'bash', 'bash_output', 'bash_kill'],
      model: 'haiku',
      maxTurns: 7,
      isolation: 'worktree',
    });
    expect(skipped.map((why) => /broken|evil/.exec(why)?.[0]).sort()).toEqual(['broken', 'evil']);
  });

  test.each([
    ['tools: [Read, "Grep"]', ['read', 'grep']],
    ['tools:\n  - Read\n  - mcp__github__list', ['read', 'mcp__github__list']],
    ['tools: "*"', undefined],
    ['', undefined],
  ])('%j', (field, tools) => {
    expect(readProfile({ text: `---\n${field}\n---\nx`, name: 'a' }).tools).toEqual(tools);
  });

  test('have their tools without those taken away, and always recall', () => {
    const profile = readProfile({ text: '---\ntools: Read, Write\ndisallowedTools: Write\n---\nx', name: 'a' });
    const has = (tool: string) => isToolOf({ profile, tool });
    expect([has('read'), has('write'), has('bash'), has('recall')]).toEqual([true, false, false, true]);
  });
});

describe('custom commands', () => {
  test('fill in arguments, once; a subfolder is a namespace', async () => {
    const cwd = folderWith({
      '.claude/commands/fix.md':
        '---\ndescription: Fixes an issue.\nargument-hint: "[issue]"\nallowed-tools: Bash(git add:*), Read\nmodel: opus\n---\nFix $1 with $2. All: $ARGUMENTS',
      '.longhaul/commands/ui/test.md': '# Run the tests\nRun them.',
      '.longhaul/commands/bad name.md': 'x',
    });
    mkdirSync(join(cwd, '.longhaul/commands/empty.md'));
    const commands = await findCommands({ cwd });
    expect(commands.map(({ name, description }) => [name, description])).toEqual([
      ['ui:test', 'Run the tests'],
      ['fix', 'Fixes an issue.'],
    ]);
    const [plain, fix] = commands;
    expect(await fix?.expand({ arguments: '12 "very $1 high"' })).toEqual({
      text: 'Fix 12 with very $1 high. All: 12 "very $1 high"',
      allow: ['bash(git add:*)', 'read'],
      model: 'opus',
    });
    expect(await plain?.expand({ arguments: 'only a' })).toEqual({ text: '# Run the tests\nRun them.\n\nonly a' });
  });

  test.each([
    ['/fix 12 now', { name: 'fix', arguments: '12 now' }],
    [' /ui:test\n', { name: 'ui:test', arguments: '' }],
    ['/fix a\nb', { name: 'fix', arguments: 'a\nb' }],
    ['/usr/bin/env fails', undefined],
    ['fix /this', undefined],
    ['/', undefined],
  ])('%j', (text, parsed) => expect(parseCommandLine(text)).toEqual(parsed));
});

test('a task for a custom agent has its instructions, tools and model; several run at once', async () => {
  const store = createMemoryStore();
  const engine = await createEngine({ store, tokenizer: characterTokenizer });
  let [atOnce, most] = [0, 0];
  const slow = toolOf({
    name: 'read',
    run: async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 20));
      atOnce -= 1;
      return says('read');
    },
  });
  const small = scriptedModel({
    script: () => (small.requests.length <= 2 ? { toolCalls: [{ name: 'read' }] } : { text: 'Seen.' }),
  });
  const asked: string[] = [];
  const { agent, model } = await begin({
    store,
    tools: [slow, toolOf({ name: 'write', access: writes })],
    script: [
      {
        toolCalls: ['reader', 'reader', 'other'].map((name) => ({
          name: 'task',
          arguments: { description: 'Look', prompt: 'Look around.', agent: name },
        })),
      },
      { text: 'Done.' },
    ],
    subagents: {
      engine,
      agents: [
        { name: 'reader', description: 'Reads\nfiles.', instructions: 'Only read.', tools: ['read'], model: 'small' },
      ],
      modelFor: async (name) => {
        asked.push(name);
        return small;
      },
    },
  });
  const events = await all(agent.run({ prompt: 'Go.' }));
  expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.' });
  expect(asked).toEqual(['small', 'small']);
  expect(most).toBe(2);
  expect(small.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
  expect(JSON.stringify(small.requests[0]?.head)).toContain('Only read.');
  const task = model.requests[0]?.tools.find(({ name }) => name === 'task');
  expect(task?.description).toContain('- reader: Reads files.');
  expect(JSON.stringify(model.requests[1]?.items)).toContain('Unknown agent. Available: reader.');
  const ends = events.filter((event) => event.type === 'subagent_end');
  expect(ends).toMatchObject([{ agent: 'reader' }, { agent: 'reader' }]);
});
