import { createSession, type Store } from 'longhaul/session';
import { describe, expect, test } from 'vitest';
import { withSession, type world } from './sessions.fixture.ts';

const text = (words: string) =>
  ({ type: 'message', message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: words }] } }) as const;

/** A store with a session and two sub-agents, the newest entry in a sub-agent. */
async function withSubAgents(given: Parameters<typeof world>[0] = {}) {
  const made = await withSession(given);
  const [store] = made.io.stores.values();
  if (!store) throw new Error('There is no store.');
  const part = await subAgent({ store, owner: made.id, at: Date.UTC(2026, 5, 1) });
  const inner = await subAgent({ store, owner: part, at: Date.UTC(2026, 5, 2) });
  return { ...made, store, part, inner };
}

async function subAgent(of: { readonly store: Store; readonly owner: string; readonly at: number }): Promise<string> {
  const now = () => of.at;
  const session = await createSession({ store: of.store, now, header: { owner: { session: of.owner } } });
  await session.append(text('A part of the work.'));
  return session.id;
}

describe('sub-agents', () => {
  test('are listed under their parent and are never `last`', async () => {
    const { call, json, id, part, inner } = await withSubAgents();
    const lines = (await call('sessions')).stdout.trimEnd().split('\n').slice(1);
    expect(lines.map((line) => line.split(/ {2,}(?=\d+ (?:d|h|min)|now)/)[0])).toEqual([
      id.slice(-8),
      `└ ${part.slice(-8)}`,
      `  └ ${inner.slice(-8)}`,
    ]);
    expect((await json('tree', 'last')).value.session).toBe(id);
    expect((await json('sessions', '--limit', '1')).value.sessions).toHaveLength(3);
  });

  test('whose headers claim each other as owners are listed once', async () => {
    const { json, store } = await withSubAgents();
    await createSession({ store, header: { id: 'a-circle', owner: { session: 'a-circle' } } });
    const ids = (await json('sessions')).value.sessions.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toHaveLength(4);
  });
});

describe('short ids', () => {
  test('are accepted by every command that takes a session', async () => {
    const { call, id } = await withSession();
    const short = id.slice(-8);
    for (const command of ['show', 'tree', 'context', 'stats', 'frontier', 'checkpoints', 'export', 'pin']) {
      expect({ command, code: (await call(command, short)).code }).toEqual({ command, code: 0 });
    }
  });

  test('are longer where two sessions end alike, and such an end alone is refused', async () => {
    const { call, store } = await withSubAgents();
    const ids = ['01a1e549-0000-7000-8000-1f7e4ce81e79', '01a1e549-0000-7000-8000-2f7e4ce81e79'];
    for (const id of ids) await (await createSession({ store, header: { id } })).append(text('One of two.'));
    const { stdout } = await call('sessions');
    for (const id of ids) expect(stdout).toContain(id.slice(-12));
    expect((await call('tree', '4ce81e79')).stderr).toMatch(
      /"4ce81e79" matches 2 sessions: [12]f7e4ce81e79, [12]f7e4ce81e79\./,
    );
  });
});

describe('the list', () => {
  test.each([60, 90, 120])('fits %i columns', async (width) => {
    const { call, store } = await withSubAgents({ env: { COLUMNS: String(width) } });
    const long = await createSession({ store, header: { cwd: `/home/me/${'deep/'.repeat(30)}` } });
    await long.append(text('A title that is much longer than any line of a list may be, so that it has to be cut.'));
    const lines = (await call('sessions')).stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
  });

  test('has whole titles in a pipe, and the folder and model of each session', async () => {
    const { call, store } = await withSubAgents();
    const title = 'A title of nearly eighty characters, which a list for a terminal would have cut.';
    const session = await createSession({ store, header: { cwd: '/home/me/billing' } });
    await session.append(text(title));
    const parts = [{ type: 'text', origin: 'model', text: 'Yes.' }] as const;
    const by = { provider: 'anthropic', name: 'claude-opus-5' };
    await session.append({ type: 'message', message: { role: 'assistant', parts }, by });
    const { stdout } = await call('sessions');
    expect(stdout).toMatch(/claude-opus-5 +~\/billing +A title of nearly eighty characters, which a list for a/);
    expect(stdout).toContain(title.slice(0, 79));
  });
});

describe('name', () => {
  test('gives a session a name that every command accepts, until it is removed', async () => {
    const { call, json, id } = await withSession();
    expect((await call('name', 'last', 'billing')).stdout).toBe(`${id.slice(-8)} is now named "billing"\n`);
    expect((await json('tree', 'billing')).value.session).toBe(id);
    expect((await json('name', 'billing', '--remove')).value).toEqual({ session: id, name: null });
    expect((await call('tree', 'billing')).code).toBe(2);
  });

  test.each(['', 'last', '-x'])('refuses the name "%s"', async (name) => {
    const { json } = await withSession();
    expect((await json('name', 'last', '--', name)).value.error.code).toBe('bad-usage');
  });

  test('refuses a name that another session has', async () => {
    const { call, json, id } = await withSession();
    await call('fork', id, '--name', 'other');
    expect((await json('name', id, 'other')).value.error.message).toContain('is already named "other"');
    expect((await call('name', 'other', 'other')).code).toBe(0);
  });
});

test('tree begins with the first prompt; --full shows the system messages too', async () => {
  const { call, store } = await withSubAgents();
  const session = await createSession({ store, header: { id: 'with-system' } });
  const parts = [{ type: 'text', origin: 'engine', text: 'You are an agent.' }] as const;
  await session.append({ type: 'message', message: { role: 'system', parts } });
  await session.append({ type: 'model_change', model: { provider: 'anthropic', name: 'claude-opus-5' } });
  await session.append(text('Fix it.'));
  await session.append({ type: 'model_change', model: { provider: 'openai', name: 'gpt-5' } });
  await session.append(text('Go on.'));
  const lines = async (...flags: readonly string[]) =>
    (await call('tree', 'with-system', ...flags)).stdout.trimEnd().split('\n').slice(1);
  expect(await lines()).toEqual(['@3 user  Fix it.', '@4 model  openai/gpt-5', '@5 user  Go on.  ← here']);
  expect(await lines('--full')).toHaveLength(5);
});

test.each([['sessions'], ['models'], ['config', 'show'], ['presets'], ['checkpoints', 'last'], ['stats', 'last']])(
  '%s %s prints tables that fit 60 columns',
  async (...argv) => {
    const env = { COLUMNS: '60', ANTHROPIC_API_KEY: 'k' };
    const { call } = await withSubAgents({ env });
    const { stdout } = await call(...argv);
    // Sentences may be longer; a terminal wraps them.
    const rows = stdout.split('\n').filter((line) => /\S {2,}\S/.test(line.trim()));
    expect(rows.filter(({ length }) => length > 60)).toEqual([]);
  },
);
