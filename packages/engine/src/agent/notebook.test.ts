import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEngine } from '../engine/index.ts';
import { user } from '../message/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { createAgent } from './agent.ts';
import { notebookStructure } from './notebook.ts';
import type { Tool } from './tool.ts';

const cwd = mkdtempSync(join(tmpdir(), 'longhaul-notebook-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const notebook = JSON.stringify({
  cells: [
    { cell_type: 'markdown', source: ['# Load the data\n', 'From S3.'] },
    { cell_type: 'code', source: 'import pandas as pd', execution_count: 3, outputs: [{ output_type: 'stream' }] },
  ],
  metadata: { kernelspec: { name: 'python3' } },
});

const read: Tool = {
  definition: { name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } },
  access: () => ({ kind: 'none' }),
  run: async () => ({ content: [{ type: 'text', origin: 'tool', text: 'cells' }] }),
};

test('the structure of a notebook lists its cells by kind and first line', () => {
  expect(notebookStructure({ path: 'a.ipynb', text: notebook })).toEqual({
    path: 'a.ipynb',
    language: 'python3',
    cells: ['markdown, 2 lines: # Load the data', 'code, 1 lines, run 3, 1 outputs: import pandas as pd'],
  });
  expect(notebookStructure({ path: 'a.ipynb', text: '{"no": 1}' })).toBeUndefined();
});

test('D13, D22: the active agent and an open notebook reach the summary', async () => {
  writeFileSync(join(cwd, 'a.ipynb'), notebook);
  const model = scriptedModel({
    script: [{ toolCalls: [{ name: 'read', arguments: { file_path: 'a.ipynb' } }] }, { text: 'It loads data.' }],
  });
  const engine = await createEngine({ store: createMemoryStore() });
  const session = await engine.create();
  const profile = { name: 'analyst', description: 'Looks into data.', instructions: 'Work in small cells only.' };
  const agent = await createAgent({ session, model, tools: [read], cwd, profile, skills: false });
  for await (const _ of agent.run({ prompt: `Look. ${'There is a lot of data to be seen. '.repeat(300)}` }));
  await agent.close();
  expect(JSON.stringify(model.requests[0]?.head)).toContain('Work in small cells only.');
  const text = 'It went on. '.repeat(2_000);
  await session.append({
    type: 'message',
    message: user(text),
  });
  const { summary = '' } = await session.compact({ model });
  expect(summary).toContain('- Active agent: analyst (Looks into data.). Its instructions: Work in small cells only.');
  expect(summary).toMatch(/Open notebook a\.ipynb \(python3, 2 cells\):\n\s+1\. markdown, 2 lines: # Load the data/);
  const states = (await session.session.read({ types: ['working_state'] })).filter(
    (entry) => entry.type === 'working_state',
  );
  expect(states).toHaveLength(2);
});
