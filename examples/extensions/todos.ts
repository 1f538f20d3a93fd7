/**
 * An extension: a tool that counts TODOs, a command that asks about them, a hook that keeps generated files unchanged and
 * a renderer. Copy it to `~/.config/longhaul/extensions/`, or to `.longhaul/extensions/` of a project and run
 * `longhaul trust`. Then: `longhaul -p "/todos src"`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineExtension, type ExtensionTool } from 'longhaul/agent';

const sources = /\.(?:ts|tsx|js|py|go|rs|java|rb|c|cpp|h)$/;

const countTodos: ExtensionTool = {
  name: 'count_todos',
  description: 'Counts lines with TODO in the source files of a folder, by file.',
  inputSchema: {
    type: 'object',
    properties: { folder: { type: 'string', description: 'Relative to the workspace.' } },
  },
  // What a call touches, so that permissions apply: a folder outside the workspace needs approval.
  access: ({ folder }) => ({
    kind: 'read',
    paths: [join(process.cwd(), String(folder ?? '.'))],
    isOutside: String(folder ?? '.').startsWith('/') || String(folder ?? '.').includes('..'),
  }),
  async run({ input, signal }) {
    const folder = join(process.cwd(), String(input.folder ?? '.'));
    const counts: string[] = [];
    for (const name of await readdir(folder, { recursive: true })) {
      if (signal.aborted) break;
      if (!sources.test(name) || name.includes('node_modules')) continue;
      const text = await readFile(join(folder, name), 'utf8').catch(() => '');
      const count = text.split('\n').filter((line) => line.includes('TODO')).length;
      if (count > 0) counts.push(`${count} ${name}`);
    }
    return counts.length === 0 ? 'No TODOs.' : counts.join('\n');
  },
};

export const extension = defineExtension({
  name: 'todos',
  tools: [countTodos],
  commands: [
    {
      name: 'todos',
      description: 'Lists the TODOs of a folder and what to do first.',
      argumentHint: '[folder]',
      run: ({ arguments: folder }) =>
        `Count the TODOs in ${folder || 'this project'} with count_todos, read the three files with the most, and say which TODO to do first and why.`,
    },
  ],
  hooks: {
    preToolUse: ({ tool, input }) =>
      (tool === 'write' || tool === 'edit') && String(input.file_path).includes('/generated/')
        ? { deny: 'Files in generated/ are made by the build.' }
        : undefined,
  },
  renderers: {
    count_todos: ({ text, isError }) => (isError ? undefined : `TODOs by file\n${text}`),
  },
});
