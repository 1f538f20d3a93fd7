import { describe, expect, test } from 'vitest';
import { filesTouched, type Touch } from './files-touched.ts';

const patch = [
  '*** Begin Patch',
  '*** Update File: src/a.ts',
  '@@',
  '-old',
  '+*** Add File: not/a/file.ts',
  '*** Move to: src/b.ts',
  '*** Add File: new file.md',
  '+text',
  '*** Delete File: gone.ts\r',
  '*** End Patch',
].join('\n');
const patched: readonly Touch[] = ['src/a.ts', 'src/b.ts', 'new file.md', 'gone.ts'].map((path) => ({
  path,
  kind: 'write',
}));

const sorted = (touches: readonly Touch[]) => touches.toSorted((a, b) => (a.path < b.path ? -1 : 1));
const call = ({ name, args }: { name: string; args: unknown }) =>
  filesTouched({ part: { type: 'tool_call', origin: 'model', id: 'c', name, arguments: JSON.stringify(args) } });

describe('the files that a call touches', () => {
  test.each<[string, string, unknown, readonly Touch[]]>([
    ['Claude Code', 'Read', { file_path: '/a.ts', limit: 5 }, [{ path: '/a.ts', kind: 'read' }]],
    ['Claude Code', 'MultiEdit', { file_path: '/a.ts', edits: [] }, [{ path: '/a.ts', kind: 'write' }]],
    ['Claude Code', 'NotebookEdit', { notebook_path: '/a.ipynb' }, [{ path: '/a.ipynb', kind: 'write' }]],
    ['Claude Code', 'Grep', { path: '/src', pattern: 'x' }, []],
    ['Codex', 'shell', { command: ['apply_patch', patch] }, patched],
    ['Codex', 'shell_command', { command: `apply_patch <<'EOF'\n${patch}\nEOF` }, patched],
    ['Codex', 'shell_command', { command: 'cat src/a.ts' }, [{ path: 'src/a.ts', kind: 'read' }]],
    ['pi', 'edit', { path: 'a.ts', oldText: 'x', newText: 'y' }, [{ path: 'a.ts', kind: 'write' }]],
    ['opencode', 'write', { filePath: '/a.ts', content: '' }, [{ path: '/a.ts', kind: 'write' }]],
    ['opencode', 'apply_patch', { patchText: patch }, patched],
    ['Copilot CLI', 'view', { path: 'C:\\a.ts' }, [{ path: 'C:\\a.ts', kind: 'read' }]],
    ['Copilot CLI', 'create', { path: 'a.ts', file_text: '' }, [{ path: 'a.ts', kind: 'write' }]],
    [
      'VS Code',
      'multi_replace_string_in_file',
      { replacements: [{ filePath: 'a.ts' }, { filePath: 'b.ts' }, { filePath: 'a.ts' }] },
      [
        { path: 'a.ts', kind: 'write' },
        { path: 'b.ts', kind: 'write' },
      ],
    ],
    ['Gemini CLI', 'replace', { file_path: 'a.ts' }, [{ path: 'a.ts', kind: 'write' }]],
    ['Gemini CLI', 'read_file', { absolute_path: '/a.ts' }, [{ path: '/a.ts', kind: 'read' }]],
    ['OpenHands', 'str_replace_editor', { command: 'view', path: '/a.ts' }, [{ path: '/a.ts', kind: 'read' }]],
    ['OpenHands', 'str_replace_editor', { command: 'insert', path: '/a.ts' }, [{ path: '/a.ts', kind: 'write' }]],
    ['nobody', 'read', { path: '' }, []],
    ['nobody', 'read', ['a.ts'], []],
  ])('of %s, %s', (_, name, args, touches) => {
    expect(sorted(call({ name, args }))).toEqual(sorted(touches));
  });

  test('a patch as the text of a custom tool, and arguments that are no JSON', () => {
    const made = { type: 'tool_call', origin: 'model', id: 'c', name: 'apply_patch' } as const;
    expect(sorted(filesTouched({ part: { ...made, arguments: patch, freeform: true } }))).toEqual(sorted(patched));
    expect(filesTouched({ part: { ...made, arguments: '{"torn": "' } })).toEqual([]);
  });
});
