import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../message/index.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { createTools, type ToolsInput } from './create-tools.ts';

/** A folder with files that is removed after the test. */
export function folderWith(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Real tools in a real folder. */
export function toolsIn({ cwd, ...input }: { readonly cwd: string } & Partial<ToolsInput>) {
  const states: Json[] = [];
  const session: ToolsInput['session'] = {
    state: async (state) => void states.push(state),
    session: {
      head: { leaf: null, last: 0 },
      read: async () => [],
      recall: async () => ({ text: 'recalled', page: 1, pages: 1 }),
      search: async () => [],
    } as never,
  };
  const tools = createTools({ cwd, session, count: (text) => text.length, env: process.env, home: cwd, ...input });
  onTestFinished(async () => void (await Promise.all(tools.map((tool) => tool.close?.()))));
  const tool = (name: string): Tool => {
    const found = tools.find(({ definition }) => definition.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = async (
    name: string,
    value: JsonObject,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolOutcome> => {
    await tool(name).access(value);
    return await tool(name).run({ input: value, callId: 'c1', signal });
  };
  return {
    tools,
    tool,
    states,
    call,
    say: async (name: string, value: JsonObject) => textOf(await call(name, value)),
  };
}

/** The text the model reads. */
export function textOf({ content }: ToolOutcome): string {
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n');
}
