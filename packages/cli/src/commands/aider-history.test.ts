import { describe, expect, test } from 'vitest';
import { world } from './sessions.fixture.ts';

const chat = (time: string, text: string) => `
# aider chat started at ${time}

> Aider v0.50.1  

#### ${text}  

Done.

> Tokens: 1.2k sent, 30 received.  
`;

/** Cut at its beginning, as histories are that grew too long. */
const history = `the end of an answer.

> Applied edit to a.py  
${chat('2026-01-02 03:04:05', 'add a button')}${chat('2026-01-03 03:04:05', 'make it blue')}`;

const path = '/project/.aider.chat.history.md';

describe('a real aider history, many chats in one file, first line not a heading', () => {
  test('is imported, each chat as a session, by name and by --scan', async () => {
    const { json } = world({ files: { [path]: history } });
    const { code, value } = await json('import', path);
    expect(code).toBe(0);
    expect(value).toMatchObject({
      format: 'aider',
      sessions: [value.sessionId, expect.any(String), expect.any(String)],
    });
    const again = await json('import', '--scan', '--all');
    expect(again.code).toBe(0);
    expect((await json('sessions')).value.sessions).toHaveLength(3);
  });

  test('exported and imported again is the same session', async () => {
    const { json, call } = world({ files: { [path]: history } });
    const { value } = await json('import', path);
    const id = String(value.sessions[1]);
    const exported = (await call('export', id, '--format', 'longhaul')).stdout;
    const second = world({ files: { '/project/again.jsonl': exported } });
    expect((await second.json('import', 'again.jsonl')).value.sessionId).toBe(id);
    expect((await second.call('export', id, '--format', 'longhaul')).stdout).toBe(exported);
  });

  test('check says what the file is and what to do', async () => {
    const { json } = world({ files: { [path]: history } });
    const { code, value } = await json('check', path);
    expect(code).toBe(2);
    expect(value.error).toMatchObject({ code: 'session-file', hint: expect.stringContaining('longhaul import') });
  });
});
