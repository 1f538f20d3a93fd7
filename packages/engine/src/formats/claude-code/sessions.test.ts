import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { user } from '../../message/index.ts';
import type { Store } from '../../session/store/store.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { sessionIdOf } from '../ids.ts';
import { call, claudeFile, sessionId, stamp, text, uuid } from './lines.fixture.ts';

const idOf = (key: string) => sessionIdOf({ format: 'claude-code', key });

describe('which session a file is', () => {
  test('is identified by the first line that has it, with folder, time and version', async () => {
    const file = claudeFile();
    file.state({ type: 'summary', summary: 'Of another session', leafUuid: 'elsewhere' });
    file.state({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
    file.user('Go.');
    const { session, format, store } = await bringIn({ text: file.text() });
    expect({ format, session }).toEqual({ format: 'claude-code', session: idOf(sessionId) });
    expect(await store.header(session)).toEqual({
      v: 1,
      id: session,
      cwd: '/repo',
      createdAt: Date.parse(stamp(3)),
      source: { format: 'claude-code', key: sessionId },
      details: { 'claude-code': { version: '2.1.33', gitBranch: 'main' } },
    });
  });

  test('is identified by a line that is too long to be read whole, too', async () => {
    const file = claudeFile();
    file.state({ type: 'summary', summary: 'Of another session', leafUuid: 'elsewhere' });
    file.user('x'.repeat(100_000));
    expect((await bringIn({ text: file.text() })).session).toBe(idOf(sessionId));
  });

  test('a fork names the session it was copied from', async () => {
    const file = claudeFile({ sessionId: 'fork' });
    file.user('Go.', { forkedFrom: { sessionId, messageUuid: uuid(1) } });
    const { store, session } = await bringIn({ text: file.text() });
    expect(await store.header(session)).toMatchObject({ parent: { session: idOf(sessionId) } });
  });

  test('a resumed session that repeats the lines of the old one, old id and all, is the old one, grown', async () => {
    const old = claudeFile();
    old.user('one');
    old.answer('msg_1', text('first'));
    old.system('turn_duration', { durationMs: 1 });
    const { store, session } = await bringIn({ text: old.text() });
    old.user('two', { sessionId: 'resumed' });
    const again = await bringIn({ text: old.text(), store });
    expect(again).toMatchObject({ session, added: 1, sent: ['user: one', 'assistant: first', 'user: two'] });
    expect(again.entries.at(-1)).toMatchObject({ details: { 'claude-code': { sessionId: 'resumed' } } });
    expect(await store.list()).toHaveLength(1);
  });

  test('a file of Qwen Code, which has the same envelope, is not taken for one', async () => {
    const message = { role: 'user', parts: [{ text: 'Go.' }] };
    const line = { uuid: uuid(1), parentUuid: null, sessionId, timestamp: stamp(1), type: 'user', message };
    await expect(bringIn({ text: `${JSON.stringify(line)}\n`.repeat(2) })).rejects.toThrow('This is no');
  });
});

describe('metadata of a session', () => {
  const state = (type: string, fields: JsonObject = {}) => ({ type, sessionId, ...fields });

  test('a person’s name for it stays; a model’s is taken while there is none', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.state(state('ai-title', { aiTitle: 'Going' }));
    file.state(state('custom-title', { customTitle: 'My session' }));
    file.state(state('ai-title', { aiTitle: 'Going on' }));
    const { entries, store } = await bringIn({ text: file.text() });
    expect(entries.slice(1)).toMatchObject([
      { type: 'session_info', info: { name: 'Going' } },
      { type: 'session_info', info: { name: 'My session' } },
      { type: 'custom', customType: 'claude-code:ai-title', data: { aiTitle: 'Going on' } },
    ]);
    expect((await store.list())[0]?.name).toBe('My session');
  });

  test('a summary names it only where it is of a line of this file', async () => {
    const file = claudeFile();
    file.state({ type: 'summary', summary: 'Of another session', leafUuid: 'elsewhere' });
    file.user('Go.');
    file.state({ type: 'summary', summary: 'Of this one', leafUuid: uuid(2) });
    expect((await bringIn({ text: file.text() })).entries).toMatchObject([
      { type: 'custom', customType: 'claude-code:summary' },
      { type: 'message' },
      { type: 'session_info', info: { name: 'Of this one' } },
    ]);
  });

  test('states are kept once; copies of files are counted; what is not known is kept whole', async () => {
    const file = claudeFile();
    file.user('Go.');
    for (const _ of [1, 2]) file.state(state('permission-mode', { permissionMode: 'plan' }));
    file.state(state('queue-operation', { operation: 'enqueue', content: 'And the docs.' }));
    file.state({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
    file.state(state('holodeck', { level: 3 }));
    file.line({ type: 'dream', words: 'electric sheep' });
    file.user('On.');
    const { entries, sent, warnings } = await bringIn({ text: file.text() });
    expect(sent).toEqual(['user: Go.', 'user: On.']);
    expect(entries.slice(1, -1)).toMatchObject([
      { type: 'custom', customType: 'claude-code:permission-mode', data: { permissionMode: 'plan' } },
      { type: 'custom', customType: 'claude-code:queue-operation', data: { content: 'And the docs.' } },
      { type: 'unknown', kind: 'claude-code:holodeck', value: { level: 3 } },
      { type: 'unknown', kind: 'claude-code:dream', value: { words: 'electric sheep' } },
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'Left out, since the model never saw them: repeated lines of state (1), lines of file history (1).',
    ]);
  });

  test('the folder, branch and version of a line are kept where they change', async () => {
    const file = claudeFile();
    file.user('one', { permissionMode: 'plan' });
    file.user('two');
    file.user('three', { cwd: '/other' });
    const details = (await bringIn({ text: file.text() })).entries.map((entry) => 'details' in entry && entry.details);
    expect(details).toMatchObject([
      { 'claude-code': { cwd: '/repo', gitBranch: 'main', permissionMode: 'plan' } },
      { 'claude-code': { uuid: uuid(2) } },
      { 'claude-code': { uuid: uuid(3), cwd: '/other' } },
    ]);
    expect(details[1]).toEqual({ 'claude-code': { uuid: uuid(2) } });
  });
});

describe('sub-agents', () => {
  const textsOf = async ({ store, session }: { store: Store; session: string }) =>
    (await store.read({ session, query: { after: 0 } })).flatMap((entry) =>
      entry.type === 'message'
        ? entry.message.parts.map((part) => `${part.origin}: ${part.type === 'text' ? part.text : part.type}`)
        : [],
    );

  test('in the file of their caller are sessions of their own, owned by the call that has their prompt', async () => {
    const file = claudeFile();
    file.user('Search twice.');
    file.answer('msg_1', call('toolu_1', { prompt: 'Search a.', description: 'The search for a' }, 'Task'));
    file.answer('msg_1', call('toolu_2', { prompt: 'Search b.' }, 'Task'));
    const side = { isSidechain: true };
    file.user('Search b.', { ...side, parentUuid: null });
    file.user('Search a.', { ...side, parentUuid: null });
    file.answer('msg_b', text('Found b.'), { ...side, parentUuid: uuid(4) });
    file.answer('msg_a', call('toolu_a'), { ...side, parentUuid: uuid(5) });
    file.result('toolu_a', 'a', side);
    file.answer('msg_a2', text('Found a.'), side);
    file.result('toolu_1', 'Found a.', { parentUuid: uuid(2) });
    file.result('toolu_2', 'Found b.', { parentUuid: uuid(3) });
    const { sent, sessions, store, session, entries } = await bringIn({ text: file.text() });
    expect(sent).toHaveLength(4);
    expect(sessions).toEqual([session, idOf(`${sessionId}/${uuid(4)}`), idOf(`${sessionId}/${uuid(5)}`)]);
    const [, b = '', a = ''] = sessions;
    expect(await store.header(b)).toMatchObject({ owner: { session, call: 'toolu_2' } });
    expect(await store.header(a)).toMatchObject({
      owner: { session, call: 'toolu_1' },
      name: 'The search for a',
      cwd: '/repo',
    });
    expect(await textsOf({ store, session: b })).toEqual(['model: Search b.', 'model: Found b.']);
    expect(await textsOf({ store, session: a })).toEqual([
      'model: Search a.',
      'model: tool_call',
      'tool: tool_result',
      'model: Found a.',
    ]);
    const all = [...entries, ...(await store.read({ session: a, query: { after: 0 } }))];
    // The main conversation may go on; an agent whose result is there has ended.
    expect(all.filter((entry) => JSON.stringify(entry).includes('unfinished'))).toMatchObject([{ handle: 2 }]);
  });

  test('in a file of their own are the same sessions as in that of their caller', async () => {
    const write = (file: ReturnType<typeof claudeFile>) => {
      const side = { isSidechain: true, agentId: 'a1b2', parentUuid: null };
      file.user('Search.', { ...side, uuid: 's1', timestamp: stamp(30) });
      file.answer('msg_a', text('Found.'), { ...side, uuid: 's2', parentUuid: 's1', timestamp: stamp(31) });
    };
    const main = claudeFile();
    main.user('Go.');
    main.answer('msg_1', call('toolu_1', { prompt: 'Search.' }, 'Agent'));
    write(main);
    const own = claudeFile({ isSidechain: true, agentId: 'a1b2' });
    write(own);

    const alone = await bringIn({ text: own.text() });
    expect(alone.session).toBe(idOf(`${sessionId}/a1b2`));
    expect(await alone.store.header(alone.session)).toMatchObject({ owner: { session: idOf(sessionId) } });
    expect(await textsOf(alone)).toEqual(['model: Search.', 'model: Found.']);

    const { sessions, store } = await bringIn({ text: main.text() });
    expect(sessions).toEqual([idOf(sessionId), alone.session]);
    expect(await store.read({ session: alone.session, query: { after: 0 } })).toEqual(alone.entries);
    expect(await bringIn({ text: own.text(), store })).toMatchObject({ added: 0 });
  });

  test('come after their caller in the list, also where that has gone another way in the store', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1', { prompt: 'Search.' }, 'Task'));
    file.user('Search.', { isSidechain: true, parentUuid: null });
    file.result('toolu_1', 'Found.', { parentUuid: uuid(2) });
    file.system('turn_duration');
    const { store, live, sessions } = await bringIn({ text: file.text() });
    await live.append({
      type: 'message',
      message: user('Elsewhere.'),
    });
    file.user('On.');
    const again = await bringIn({ text: file.text(), store });
    expect(again.codes).toContain('gone-another-way');
    expect(again.sessions).toEqual([again.session, sessions[1]]);
    expect(again.sent.at(-1)).toBe('user: On.');
  });
});
