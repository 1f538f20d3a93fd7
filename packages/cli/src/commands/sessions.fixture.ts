import { expect } from 'vitest';
import { type MemoryIo, type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';

export const header = {
  type: 'session',
  version: 3,
  id: 'abc-1',
  timestamp: '2026-01-02T03:04:05.000Z',
  cwd: '/project',
};
export const base = (id: string, parentId: string | null, fields: object) => ({
  id,
  parentId,
  timestamp: header.timestamp,
  ...fields,
});
export const said = (role: string, text: string) => ({
  type: 'message',
  message: { role, content: [{ type: 'text', text }] },
});
const call = {
  type: 'message',
  message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name: 'ls', arguments: { path: '.' } }] },
};
const result = {
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId: 'c1',
    toolName: 'ls',
    content: [{ type: 'text', text: 'a.txt\nb.txt\n\u001b[2J' }],
  },
};
export const jsonl = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
export const pi = jsonl([
  header,
  base('01', null, said('user', 'List the files.')),
  base('02', '01', call),
  base('03', '02', result),
  base('04', '03', said('assistant', 'There are two.')),
  base('05', '03', said('assistant', 'Two of them.')),
]);
const files = { '/project/pi.jsonl': pi };

/** Runs one command after the other in one world. */
export const world = (given: MemoryWorld = {}) => {
  const io: MemoryIo = memoryIo({ ...given, files: { ...files, ...given.files } });
  const call = async (...argv: readonly string[]) => {
    io.printed.stdout = '';
    io.printed.stderr = '';
    const code = await run({ argv, io });
    return { code, ...io.printed };
  };
  const json = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await call('--json', ...argv);
    // On a terminal there may be progress.
    if (!given.terminal) expect(stderr).toBe('');
    return { code, value: JSON.parse(stdout) };
  };
  return { io, call, json };
};

export const withSession = async (given: MemoryWorld = {}) => {
  const made = world(given);
  const { value } = await made.json('import', 'pi.jsonl');
  return { ...made, id: String(value.sessionId) };
};
