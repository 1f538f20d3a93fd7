import { describe, expect, test } from 'vitest';
import { base, header, jsonl, said, withSession, world } from './sessions.fixture.ts';

const usage = { input: 100, output: 10, cacheRead: 50, cacheWrite: 20, totalTokens: 180, cost: { total: 1 } };
const answer = (content: readonly object[], more: object = {}) => ({
  type: 'message',
  message: { role: 'assistant', content, provider: 'anthropic', model: 'claude-sonnet-4-5', usage, ...more },
});
const called = (id: string, name: string, args: object) => ({ type: 'toolCall', id, name, arguments: args });
const returned = (id: string, isError: boolean) => ({
  type: 'message',
  message: { role: 'toolResult', toolCallId: id, toolName: 'bash', content: [{ type: 'text', text: 'ok' }], isError },
});

const work = jsonl([
  header,
  base('01', null, said('user', 'Fix the build.')),
  base('02', '01', said('user', 'And the tests.')),
  base('03', '02', answer([{ type: 'thinking', thinking: 'Hm.' }, called('c1', 'bash', { command: 'make' })])),
  base('04', '03', returned('c1', true)),
  base(
    '05',
    '04',
    answer([called('c2', 'edit', { path: '/project/src/a.ts' }), called('c3', 'read', { path: 'src/a.ts' })]),
  ),
  base('06', '05', { type: 'compaction', summary: 'So far.', firstKeptEntryId: '05', tokensBefore: 4321 }),
  base('07', '06', said('user', 'Thanks.')),
  base('08', '07', answer([{ type: 'text', text: 'Done.' }], { model: 'nobody-knows-it' })),
]);

const withWork = async () => {
  const made = world({ files: { '/project/work.jsonl': work } });
  const { value } = await made.json('import', 'work.jsonl');
  return { ...made, id: String(value.sessionId) };
};

describe('stats of a session', () => {
  test('answer with exactly these members', async () => {
    const { json, id } = await withWork();
    const { value } = await json('stats', id);
    expect(Object.keys(value)).toEqual([
      'session',
      'entries',
      'messages',
      'toolCalls',
      'toolResults',
      'thinking',
      'images',
      'tokens',
      'turns',
      'kinds',
      'tokensByKind',
      'tools',
      'compactions',
      'usage',
      'models',
      'dollars',
      'files',
      'context',
      'linked',
      'total',
    ]);
    expect(value).toMatchObject({
      session: id,
      messages: 4,
      toolCalls: 3,
      toolResults: 1,
      thinking: 1,
      turns: 2,
      kinds: { message: 7, usage: 3, compaction: 1, epoch: 1 },
      linked: [],
    });
  });

  test('tools with their failures, files by one name each, compactions with what they replaced', async () => {
    const { json, id } = await withWork();
    expect((await json('stats', id)).value).toMatchObject({
      tools: [
        { name: 'bash', calls: 1, errors: 1 },
        { name: 'edit', calls: 1, errors: 0 },
        { name: 'read', calls: 1, errors: 0 },
      ],
      files: [{ path: 'src/a.ts', reads: 1, writes: 1 }],
      compactions: [{ session: id, handle: '@8', tokensBefore: 4321, at: header.timestamp }],
    });
  });

  test('tokens by what they were spent on add up to all of them', async () => {
    const { json, id } = await withWork();
    const { value } = await json('stats', id);
    expect(Object.keys(value.tokensByKind)).toEqual([
      'human',
      'model',
      'thinking',
      'toolCalls',
      'toolResults',
      'engine',
    ]);
    const sum = Object.values<number>(value.tokensByKind).reduce((a, b) => a + b);
    expect(sum).toBe(value.tokens);
    for (const kind of ['human', 'model', 'thinking', 'toolCalls', 'toolResults']) {
      expect(value.tokensByKind[kind]).toBeGreaterThan(0);
    }
  });

  test('usage is priced where prices are known', async () => {
    const { json, id } = await withWork();
    const { value } = await json('stats', id);
    expect(value.usage).toEqual({ input: 300, output: 30, cacheRead: 150, cacheWrite: 60 });
    expect(value.models).toMatchObject([
      { provider: 'anthropic', name: 'claude-sonnet-4-5', calls: 2, dollars: expect.any(Number) },
      { provider: 'anthropic', name: 'nobody-knows-it', calls: 1, dollars: null },
    ]);
    expect(value.dollars).toBe(value.models[0].dollars);
    expect(value.dollars).toBeGreaterThan(0);
  });

  test('sub-agents are listed separately and included in the total', async () => {
    const { io, json, call, id } = await withWork();
    const [store] = io.stores.values();
    await call('fork', id, '--name', 'helper');
    const helper = (await json('sessions', 'helper')).value.sessions[0].id;
    const copied = await store?.header(helper);
    const entries = (await store?.read({ session: helper, query: { after: 0 } })) ?? [];
    const head = await store?.head(helper);
    await store?.delete(helper);
    await store?.create({ header: { ...copied, v: 1, id: helper, createdAt: 1, owner: { session: id, call: 'c1' } } });
    await store?.append({ session: helper, expect: 0, entries, leaf: head?.leaf ?? null, epoch: head?.epoch ?? null });
    const { value } = await json('stats', id);
    expect(value.linked).toMatchObject([{ session: helper, owner: id, call: 'c1', toolCalls: 3, turns: 2 }]);
    expect(value.total).toMatchObject({ toolCalls: 6, turns: 4, tokens: 2 * value.tokens, usage: { input: 600 } });
    expect(value.total.dollars).toBeCloseTo(2 * value.dollars);
    const { stdout } = await call('stats', id);
    expect(stdout).toContain(`sub-agents\n  ${helper.slice(-8)}  4 messages  3 tool calls`);
    expect(stdout).toMatch(/\nin total {2}8 messages, 6 tool calls, /);
  });

  test('a person gets a chart, safe for a terminal', async () => {
    const { call, id } = await withWork();
    const { stdout } = await call('stats', id);
    expect(stdout).toMatch(/\ntokens\n {2}user text +[█░]{30} +\d+ +\d+\.\d %\n/);
    expect(stdout).toContain('\n  bash  1 call  1 error\n');
    expect(stdout).toContain('\n  1 changed  1 read  src/a.ts');
    expect(stdout).toContain('4,321 tokens before');
  });
});

test('stats of the store are the sum of its sessions', async () => {
  const { json, call } = await withSession({ files: { '/project/work.jsonl': work.replace('abc-1', 'abc-2') } });
  await call('import', 'work.jsonl');
  expect((await json('stats')).value).toMatchObject({ sessions: 2, toolCalls: 4, turns: 3 });
  expect((await call('stats')).stdout).toMatch(/^sessions +2\nentries +\d+\n/);
});
