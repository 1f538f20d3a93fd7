import { describe, expect, test } from 'vitest';
import { pi, withSession, world } from './sessions.fixture.ts';

describe('import', () => {
  test('answers with exactly this', async () => {
    const { code, value } = await world().json('import', 'pi.jsonl');
    expect(code).toBe(0);
    expect(value).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      format: 'pi',
      added: 6,
      entries: 6,
      messages: 5,
      toolCalls: 1,
      toolResults: 1,
      tokens: expect.any(Number),
      warnings: [],
    });
    expect(value.tokens).toBeGreaterThan(20);
  });

  test('again is the same session', async () => {
    const { call, json, id } = await withSession();
    expect((await json('import', 'pi.jsonl')).value.sessionId).toBe(id);
    expect((await call('import', 'pi.jsonl')).stdout).toMatch(/^pi\.jsonl: already there, pi session /);
    expect((await json('sessions')).value.sessions).toHaveLength(1);
  });

  test('of several files is a list, and a bad one does not keep the others out', async () => {
    const { json, call } = world({ files: { '/project/bad.txt': 'Dear diary' } });
    const { code, value } = await json('import', 'bad.txt', 'pi.jsonl', 'none.json');
    expect(code).toBe(2);
    expect(value).toMatchObject([
      { error: { code: 'not-a-session' } },
      { format: 'pi' },
      { error: { code: 'file-not-found' } },
    ]);
    const { stderr, stdout } = await call('import', 'bad.txt', 'pi.jsonl');
    expect(stderr).toMatch(/^longhaul: bad\.txt: this is no session/);
    expect(stdout).toMatch(/^pi\.jsonl: already there/);
  });

  test('tells what it had to mend, with the line', async () => {
    const { call } = world({ files: { '/project/torn.jsonl': pi.slice(0, -30) } });
    const { code, stdout } = await call('import', 'torn.jsonl');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {2}line 6: The last line is torn; its \d+ characters were left out\.\n$/);
  });

  test.each([
    [['none.jsonl'], 'file-not-found'],
    [['empty.jsonl'], 'file-empty'],
    [['long.jsonl', '--limits-line-bytes', '100'], 'line-too-long'],
    [['chat.json', '--limits-file-bytes', '10'], 'file-too-large'],
    [['pi.jsonl', '--format', 'pie'], 'unknown-format'],
    [['.'], 'file-is-folder'],
  ])('refuses %j and leaves nothing behind', async (args, errorCode) => {
    const { json } = world({
      files: {
        '/project/empty.jsonl': '',
        '/project/long.jsonl': pi,
        '/project/chat.json': '[{"role":"user","content":"hi"}]',
      },
    });
    const { code, value } = await json('import', ...args);
    expect({ code, error: value.error.code }).toEqual({ code: 2, error: errorCode });
    expect((await json('sessions')).value).toEqual({ sessions: [] });
  });

  test('reads standard input, and the dialect that is asked for', async () => {
    const { json } = world({ stdin: '[{"role":"user","content":"hi"}]' });
    expect((await json('import', '-', '--format', 'anthropic')).value).toMatchObject({
      format: 'anthropic',
      messages: 1,
    });
  });

  test('shows progress on a terminal only, and takes it away again', async () => {
    const { call } = world({ terminal: true });
    const { stderr } = await call('import', 'pi.jsonl');
    if (stderr !== '') expect(stderr.endsWith('\r\u001b[K')).toBe(true);
    expect((await world().call('import', 'pi.jsonl')).stderr).toBe('');
  });
});
