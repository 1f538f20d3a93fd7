import { describe, expect, test } from 'vitest';
import { base, header, jsonl, said, withSession, world } from './sessions.fixture.ts';

describe('sessions', () => {
  test('tells where there are none, and how to get one', async () => {
    const { stdout } = await world().call('sessions');
    expect(stdout).toBe(
      'No sessions in /home/me/.local/share/longhaul yet. Start one with `longhaul -p "…"`, or import one with `longhaul import FILE`.\n',
    );
  });

  test('lists each with these facts', async () => {
    const { json, id } = await withSession();
    expect((await json('sessions')).value).toEqual({
      sessions: [
        {
          id,
          name: null,
          title: 'List the files.',
          cwd: '/project',
          entries: 6,
          messages: 5,
          createdAt: '2026-01-02T03:04:05.000Z',
          updatedAt: '2026-01-02T03:04:05.000Z',
          parent: null,
          owner: null,
          source: { format: 'pi', key: 'abc-1' },
          model: null,
        },
      ],
    });
  });

  test('finds by text, by folder, and refuses an order that it does not know', async () => {
    const { json, call } = await withSession();
    expect((await json('sessions', 'nothing-like-it')).value.sessions).toEqual([]);
    expect((await json('sessions', '--here')).value.sessions).toHaveLength(1);
    expect((await call('sessions', 'nothing-like-it')).stdout).toContain('No session matches.');
    expect((await json('sessions', '--sort', 'size')).value.error.code).toBe('bad-usage');
    expect((await json('sessions', '--limit', '0')).value.error.code).toBe('bad-usage');
  });
});

describe('which session is meant', () => {
  test('by id, by its beginning, by its name, or the last one', async () => {
    const { json, call, id } = await withSession();
    await call('fork', id, '--name', 'other');
    for (const wanted of [id, id.slice(0, 6), 'other', 'last']) {
      expect((await json('show', wanted)).code).toBe(0);
    }
  });

  test('a beginning that fits two is refused with both', async () => {
    const { json, call, io, id } = await withSession();
    await call('fork', id);
    const [store] = io.stores.values();
    const sessions = (await store?.list()) ?? [];
    const common = sessions.map(({ header: { id: one } }) => one);
    await call('fork', common.find((one) => one !== id) ?? '');
    const { value } = await json('show', (common.find((one) => one !== id) ?? '').slice(0, 8));
    expect(value.error?.code).toBe('session-ambiguous');
  });

  test('a missing one is reported, with the closest match', async () => {
    const { call, id } = await withSession();
    await call('fork', id, '--name', 'release');
    expect((await call('show', 'relase')).stderr).toMatch(
      /^longhaul: There is no session "relase"\. Did you mean "release"\?\n {2}Run `longhaul sessions` to list them\.\n$/,
    );
  });
});

describe('show', () => {
  test('prints the path, safe for a terminal', async () => {
    const { call, id } = await withSession();
    const { code, stdout } = await call('show', id);
    expect(code).toBe(0);
    expect(stdout).toContain('@1 user');
    expect(stdout).toContain('  List the files.\n');
    expect(stdout).toContain('Two of them.');
    expect(stdout).not.toContain('There are two.');
    expect(stdout).not.toContain('\u001b');
  });

  test('one entry, or a stretch of the log, as stored', async () => {
    const { json, id } = await withSession();
    expect((await json('show', id, '--entry', '@3')).value.entries).toMatchObject([{ handle: 3, type: 'message' }]);
    const stretch = (await json('show', id, '--from', '4', '--to', '@6')).value.entries;
    expect(stretch.map(({ type }: { type: string }) => type)).toEqual(['message', 'leaf', 'message']);
    expect((await json('show', id, '--entry', '@99')).value.error.code).toBe('entry-missing');
    expect((await json('show', id, '--entry', '@3.1')).value.error.code).toBe('bad-handle');
  });

  test('a stretch that ends before it begins is refused', async () => {
    const { json, id } = await withSession();
    expect(await json('show', id, '--from', '@5', '--to', '@2')).toMatchObject({
      code: 2,
      value: { error: { code: 'bad-usage', message: '--from @5 is after --to @2.' } },
    });
    expect((await json('show', id, '--from', '@5', '--to', '@5')).value.entries).toHaveLength(1);
  });
});

test('tree draws branches, names and the current position', async () => {
  const { call, json, id } = await withSession();
  await call('label', id, '@4', 'first try');
  const { stdout } = await call('tree', id);
  expect(stdout.split('\n').slice(1)).toEqual([
    '@1 user  List the files.',
    '@2 assistant  ls({"path":"."})',
    '@3 tool  a.txt b.txt \\u001b[2J',
    '├─ @4 assistant  There are two.  [first try]',
    '└─ @6 assistant  Two of them.  ← here',
    '',
  ]);
  const { value } = await json('tree', id);
  expect(value).toMatchObject({ session: id, leaf: '@6', problems: [] });
  expect(value.nodes.map(({ handle, parent }: { handle: string; parent: string }) => [handle, parent])).toEqual([
    ['@1', null],
    ['@2', '@1'],
    ['@3', '@2'],
    ['@4', '@3'],
    ['@6', '@3'],
  ]);
});

test('tree shortens long straight lines unless it is to be full', async () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    base(String(index + 1), index === 0 ? null : String(index), said('user', `number ${index + 1}`)),
  );
  const { call } = world({ files: { '/project/long.jsonl': jsonl([header, ...lines]) } });
  await call('import', 'long.jsonl');
  const short = (await call('tree', 'last')).stdout.split('\n');
  expect(short).toContain('⋮ 32 entries');
  expect(short).toHaveLength(11);
  expect((await call('tree', 'last', '--full')).stdout.split('\n')).toHaveLength(42);
});

describe('context', () => {
  test('answers with exactly these members, in the words of the provider', async () => {
    const { json, id } = await withSession();
    const { value } = await json('context', id, '--provider', 'anthropic');
    expect(Object.keys(value)).toEqual([
      'provider',
      'system',
      'messages',
      'tokens',
      'bound',
      'window',
      'epoch',
      'breakdown',
      'repairs',
      'cut',
      'shortened',
    ]);
    expect(value.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(value.bound).toBeGreaterThanOrEqual(value.tokens);
    expect(Object.keys(value.breakdown)).toEqual([
      'system',
      'tools',
      'messages',
      'toolResults',
      'files',
      'reserve',
      'free',
    ]);
  });

  test.each([
    ['openai-chat', ['user', 'assistant', 'tool', 'assistant']],
    ['gemini', ['user', 'model', 'user', 'model']],
  ])('for %s', async (provider, roles) => {
    const { json, id } = await withSession();
    const { value } = await json('context', id, '--provider', provider);
    expect(value.messages.map(({ role }: { role: string }) => role)).toEqual(roles);
  });

  test('the head and the tools of an imported request are there', async () => {
    const body = {
      system: 'Be brief.',
      tools: [{ name: 'ls', input_schema: { type: 'object', properties: {} } }],
      messages: [{ role: 'user', content: 'hi' }],
    };
    const { json } = world({ files: { '/project/chat.json': JSON.stringify(body) } });
    await json('import', 'chat.json');
    const { value } = await json('context', 'last');
    expect(value).toMatchObject({ provider: 'anthropic', messages: [{ role: 'user' }], tools: [{ name: 'ls' }] });
    expect(JSON.stringify(value.system)).toContain('Be brief.');
    const responses = await json('context', 'last', '--provider', 'openai-responses');
    expect(JSON.stringify(responses.value.system)).toContain('Be brief.');
  });

  test('a window only shows how it would fit; the guard cuts, never the latest request; nothing is written', async () => {
    const turns = Array.from({ length: 30 }, (_, index) => [
      { role: 'user', content: `question ${index} ${'words '.repeat(30)}` },
      { role: 'assistant', content: `answer ${index}` },
    ]).flat();
    const text = JSON.stringify([...turns, { role: 'user', content: `the latest ${'words '.repeat(60)}` }]);
    const { json, call, io } = world({ files: { '/project/chat.json': text } });
    await json('import', 'chat.json');
    const whole = (await json('context', 'last', '--window', '1000')).value;
    expect(whole).toMatchObject({ window: 1000, cut: 0 });
    expect(whole.messages).toHaveLength(61);
    expect((await call('context', 'last', '--window', '1000')).stdout).toContain('It may not fit:');
    const cut = (await json('context', 'last', '--window', '1000', '--guard')).value;
    expect(cut.bound + cut.breakdown.reserve).toBeLessThanOrEqual(1000);
    expect(cut.cut).toBeGreaterThan(0);
    expect(JSON.stringify(cut.messages.at(-1))).toContain('the latest');
    expect((await json('context', 'last', '--window', '100', '--guard')).value.error.code).toBe('cannot-fit');
    const [store] = io.stores.values();
    const [summary] = (await store?.list()) ?? [];
    expect(summary?.count).toBe(61);
  });

  test('what the provider would refuse is mended in the view, and said', async () => {
    const { json, call } = await withSession();
    await call('rewind', 'last', '@2');
    const { value } = await json('context', 'last');
    expect(value.repairs).toHaveLength(1);
    expect((await call('context', 'last')).stdout).toContain('repaired for anthropic:');
  });
});
