import { expect, test } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { createMemoryStore } from '../../session/index.ts';
import { characterTokenizer, scriptedModel } from '../../testing/index.ts';
import { createAgent } from '../agent.ts';
import { all } from '../fixtures/agent.ts';
import { everything } from '../fixtures/tools.ts';
import { createTools } from './create-tools.ts';
import { folderWith } from './tools.fixture.ts';

test('todos, commands and read files survive a compaction', async () => {
  const cwd = folderWith({ 'src/a.ts': 'const a = 1;\n' });
  const engine = await createEngine({ store: createMemoryStore(), tokenizer: characterTokenizer });
  const session = await engine.create({ cwd });
  const todos = [
    { content: 'Port the lexer', status: 'completed' },
    { content: 'Port the printer', status: 'in_progress' },
  ];
  const model = scriptedModel({
    window: 100_000,
    script: [
      {
        toolCalls: [
          { name: 'todo', arguments: { todos } },
          { name: 'read', arguments: { file_path: 'src/a.ts' } },
        ],
      },
      { toolCalls: [{ name: 'edit', arguments: { file_path: 'src/a.ts', old_string: '1', new_string: '2' } }] },
      { toolCalls: [{ name: 'bash', arguments: { command: 'false' } }] },
      { text: `Some words. ${'lorem ipsum '.repeat(4_000)}` },
    ],
  });
  const tools = createTools({ cwd, session, count: (text) => text.length, env: { PATH: process.env.PATH } });
  const agent = await createAgent({ session, model, tools, cwd, permissions: everything });
  await all(agent.run({ prompt: 'Port it.' }));
  const { installed, summary } = await session.compact({ model });
  await agent.close();
  await session.close();
  expect(installed).toBe(true);
  expect(summary).toMatch(/^Done:\n- Port the lexer \(@\d+\)$/m);
  expect(summary).toMatch(/^In the works:\n- Port the printer \(@\d+\)$/m);
  expect(summary).toMatch(/^Files changed:\n- src\/a\.ts \(@\d+\)$/m);
  expect(summary).toMatch(/^- exit 1 — false \(@\d+\)$/m);
});
