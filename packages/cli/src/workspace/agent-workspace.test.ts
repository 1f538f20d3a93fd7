import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from 'longhaul/engine';
import { createMemoryStore } from 'longhaul/session';
import { createTokenizer } from 'longhaul/tokens';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsSchema } from '../settings/schema.ts';
import { agentWorkspace } from './agent-workspace.ts';

let cwd = '';

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-agent-workspace-')));
  writeFileSync(join(cwd, 'first.ts'), 'export const first = 1;\n');
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function session() {
  const engine = await createEngine({ store: createMemoryStore(), tokenizer: await createTokenizer('o200k_base') });
  return await engine.create({ cwd });
}

test('a session keeps the tree that it began with, so that its head stays the same', async () => {
  const values = settingsSchema.parse({});
  const open = await session();
  const { tree = '' } = await agentWorkspace({ cwd, folder: undefined, values, session: open });
  expect(tree).toContain('first.ts\n');
  await open.session.appendBatch([
    {
      type: 'message',
      message: { role: 'system', parts: [{ type: 'text', origin: 'engine', text: 'You are an agent.' }] },
    },
    { type: 'message', message: { role: 'system', parts: [{ type: 'text', origin: 'engine', text: tree }] } },
    { type: 'message', message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Go.' }] } },
  ]);
  writeFileSync(join(cwd, 'second.ts'), 'export const second = 2;\n');
  expect((await agentWorkspace({ cwd, folder: undefined, values, session: open })).tree).toBe(tree);
  await open.close();
});

test('each part can be turned off', async () => {
  const values = settingsSchema.parse({ workspace: { search: false, readOutline: false, tree: false } });
  const open = await session();
  expect(await agentWorkspace({ cwd, folder: cwd, values, session: open })).toEqual({
    searchCode: undefined,
    outline: undefined,
    tree: undefined,
  });
  await open.close();
});

test('a search after the tools were closed opens the index again', async () => {
  const values = settingsSchema.parse({ workspace: { embeddings: 'off' } });
  const open = await session();
  const { searchCode } = await agentWorkspace({ cwd, folder: join(cwd, '.longhaul'), values, session: open });
  const search = async () =>
    (
      await searchCode?.search({
        query: 'first',
        limit: 5,
        budget: 100,
        accept: () => true,
        signal: AbortSignal.timeout(60_000),
      })
    )?.map(({ path, text }) => `${path} ${text}`);
  expect(await search()).toEqual(['first.ts export const first = 1;']);
  await searchCode?.close();
  expect(await search()).toEqual(['first.ts export const first = 1;']);
  await searchCode?.close();
  await open.close();
});
