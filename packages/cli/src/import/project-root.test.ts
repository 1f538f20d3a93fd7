import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeIo } from '../io/node-io.ts';
import { projectRoot } from './project-root.ts';

test('the folder of a Gemini CLI session is in a file next to its chats; a relative one or none is ignored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-root-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'app/chats'), { recursive: true });
  const io = nodeIo({ process });
  const of = (path: string) => projectRoot({ io, path: join(folder, path) });
  expect(await of('app/chats/session-1.jsonl')).toBeUndefined();
  writeFileSync(join(folder, 'app/.project_root'), '/home/me/app\n');
  expect(await of('app/chats/session-1.jsonl')).toBe('/home/me/app');
  expect(await of('app/other/session-1.jsonl')).toBeUndefined();
  writeFileSync(join(folder, 'app/.project_root'), '../app');
  expect(await of('app/chats/session-1.jsonl')).toBeUndefined();
});
