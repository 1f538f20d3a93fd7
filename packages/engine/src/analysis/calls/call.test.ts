import { describe, expect, it, test } from 'vitest';
import { call as said } from '../../engine/fixtures/items.ts';
import type { ToolCallPart } from '../../message/index.ts';
import { readCall } from './call.ts';

const read = (name: string, args: object | string, directory?: string) =>
  readCall({ part: said('1', name, args).parts[0] as ToolCallPart, directory });
const changes = (name: string, args: object | string) =>
  read(name, args).changes.map(({ path, op }) => `${op} ${path}`);

describe('the tools that change files', () => {
  test.each([
    ['Claude Code', 'Write', { file_path: '/a.ts', content: 'x' }, ['write /a.ts']],
    ['Claude Code', 'Edit', { file_path: '/a.ts', old_string: 'x', new_string: 'y' }, ['edit /a.ts']],
    ['Claude Code', 'MultiEdit', { file_path: '/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] }, ['edit /a.ts']],
    ['Claude Code', 'NotebookEdit', { notebook_path: '/a.ipynb', new_source: 'x' }, ['edit /a.ipynb']],
    ['Codex', 'apply_patch', '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch', ['delete a.ts']],
    ['Codex', 'shell', { command: ['bash', '-lc', 'touch a'] }, ['edit a']],
    ['Codex', 'shell', { command: ['touch', 'a b'] }, ['edit a b']],
    ['Copilot CLI', 'create', { path: 'a.ts', file_text: 'x' }, ['write a.ts']],
    ['Copilot CLI', 'edit', { path: 'a.ts', old_str: 'x', new_str: 'y' }, ['edit a.ts']],
    ['VS Code', 'copilot_createFile', { filePath: 'a.ts', content: 'x' }, ['write a.ts']],
    [
      'VS Code',
      'multi_replace_string_in_file',
      { replacements: [{ filePath: 'a' }, { filePath: 'b' }] },
      ['edit a', 'edit b'],
    ],
    ['Gemini CLI', 'replace', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, ['edit a.ts']],
    ['opencode', 'patch', { patchText: '--- a/x.ts\n+++ b/x.ts\n@@\n-a\n+b\n' }, ['edit x.ts']],
    ['pi', 'edit', { path: 'a.ts', oldText: 'x', newText: 'y' }, ['edit a.ts']],
    ['OpenHands', 'str_replace_editor', { command: 'create', path: 'a.ts', file_text: 'x' }, ['write a.ts']],
    ['OpenHands', 'str_replace_editor', { command: 'view', path: 'a.ts' }, []],
    ['OpenHands', 'run_ipython', { code: "edit_file_by_replace(\n'/w/a.ts', to_replace='x')" }, ['edit /w/a.ts']],
    ['MCP', 'mcp__files__write_file', { path: 'a.ts', content: 'x' }, ['write a.ts']],
    ['Cursor', 'delete_file', { target_file: 'a.ts' }, ['delete a.ts']],
    ['any', 'unheard_of', { path: 'a.ts', content: 'x' }, []],
    ['broken', 'Write', '{"file_path": ', []],
  ])('%s: %s', (_agent, name, args, expected) => {
    expect(changes(name, args)).toEqual(expected);
  });

  it('a patch that moves a file deletes one and changes the other', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n x\n-y\n+z\n*** End Patch';
    expect(read('apply_patch', { input: patch }).changes).toEqual([
      { path: 'b.ts', op: 'edit', added: 'x\nz', removed: 'x\ny' },
      { path: 'a.ts', op: 'delete', added: '', removed: '' },
    ]);
  });
});

describe('the tools that read files', () => {
  test.each([
    ['Read', { file_path: '/a' }, { path: '/a', isRaw: false }],
    ['Read', { file_path: '/a', offset: 10, limit: 5 }, { path: '/a', isRaw: false, lines: { from: 10, to: 14 } }],
    ['view', { path: 'a', view_range: [3, 9] }, { path: 'a', isRaw: false, lines: { from: 3, to: 9 } }],
    ['read_file', { file_path: 'a' }, { path: 'a', isRaw: true }],
    ['read', { path: 'a' }, { path: 'a', isRaw: true }],
    ['read', { filePath: 'a' }, { path: 'a', isRaw: false }],
  ])('%s %j', (name, args, expected) => {
    expect(read(name, args).reads).toEqual([expected]);
  });
});

it('resolves shell paths against the requested working directory', () => {
  expect(read('shell_command', { command: 'touch a', workdir: '/p/sub' }, '/p').changes[0]?.path).toBe('/p/sub/a');
  expect(read('shell_command', { command: 'touch a', workdir: '/p' }, '/p').changes[0]?.path).toBe('a');
});
