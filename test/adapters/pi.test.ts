import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager, type ToolDefinition } from '@mariozechner/pi-coding-agent';
import { createLonghaul } from 'longhaul';
import { startLoopback } from 'longhaul/testing';
import { afterEach, expect, it } from 'vitest';
import { createAgent } from '../../examples/pi/agent.ts';
import { longRun } from './long-run.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'longhaul-pi-'));
  folders.push(made);
  return made;
}

function readTool(read: (path: string) => string): ToolDefinition {
  return {
    name: 'read',
    label: 'Read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as never,
    execute: async (_, input) => ({
      content: [{ type: 'text', text: read((input as { path: string }).path) }],
      details: {},
    }),
  };
}

it('works through many tool turns, and the session file of pi stays complete', async () => {
  const cwd = folder();
  let file: string | undefined;
  const figures = await longRun(async ({ url, session, read, window }) => {
    const agent = await createAgent({
      sessions: session,
      cwd,
      baseUrl: `${url}/v1`,
      apiKey: 'k',
      window,
      tools: [readTool(read)],
    });
    file = agent.session.sessionFile;
    return agent;
  });
  console.log(`pi: ${figures}`);
  const entries = SessionManager.open(file ?? '').getEntries();
  expect(entries.filter(({ type }) => type === 'compaction')).toEqual([]);
  expect(readFileSync(file ?? '', 'utf8')).not.toContain('was compacted. This is a summary');
});

it('/compact compacts the session, not the file of pi', async () => {
  const details = 'Details. '.repeat(800);
  const loopback = await startLoopback({ script: ({ index }) => ({ text: `Answer ${index}. ${details}` }) });
  const sessions = await createLonghaul();
  const { session, ask } = await createAgent({
    sessions,
    cwd: folder(),
    baseUrl: `${loopback.url}/v1`,
    apiKey: 'k',
    window: 32_000,
  });
  for (let n = 0; n < 5; n += 1) await ask(`Question ${n}. ${details}`);
  await expect(session.compact()).rejects.toThrow();
  const path = await (await sessions.open(session.sessionId)).engine.session.path();
  expect(path.filter(({ type }) => type === 'compaction').length).toBeGreaterThan(0);
  expect(session.sessionManager.getEntries().filter(({ type }) => type === 'compaction')).toEqual([]);
  await loopback.close();
});
