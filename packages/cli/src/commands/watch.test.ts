import { openSession } from 'longhaul/session';
import { describe, expect, test } from 'vitest';
import type { MemoryIo } from '../io/memory-io.ts';
import { withWork } from './work.fixture.ts';

/** The session that was imported, as another process would hold it. */
async function live({ io, id }: { readonly io: MemoryIo; readonly id: string }) {
  const [store] = io.stores.values();
  if (!store) throw new Error('no store');
  return await openSession({ store, id });
}

const small = ['--window', '12000'] as const;

describe('watch', () => {
  test('tells what was decided before, and ends cleanly with Ctrl-C', async () => {
    const { call, id } = await withWork();
    await call('compact', id, ...small);
    await call('pin', id, 'Use tabs.');
    await call('undo', id);
    const { code, stdout, stderr } = await call('watch', id, '--all');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^watching \S+ from @1 on; Ctrl-C stops it\n$/);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\S+ \S+ {2}@\d+ {2}/, ''))).toEqual([
      expect.stringMatching(/^compacted \(manual, extractive\): 1\d,\d+ -> \d,\d+ tokens: \S/),
      'pinned: Use tabs.',
      expect.stringMatching(/^undone/),
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('tells only what is new, as it comes from another process', async () => {
    // It looks often enough for the other one to be done.
    const looks = Array.from({ length: 50 }, () => () => undefined);
    const { io, call, id } = await withWork({ meanwhile: [(world) => void limit(world), ...looks] });
    async function limit(world: MemoryIo): Promise<void> {
      const session = await live({ io: world, id });
      await session.append({ type: 'custom', customType: 'longhaul:state', data: { plan: 'quiet' } });
      await session.append({ type: 'custom', customType: 'longhaul:limit', data: { model: 'a/b', window: 9_000 } });
    }
    await call('pin', id, 'Use tabs.');
    const { code, stdout } = await call('--json', 'watch', id);
    expect(code).toBe(0);
    const reported = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(reported).toEqual([
      {
        at: expect.any(String),
        handle: expect.stringMatching(/^@\d+$/),
        kind: 'limit',
        model: 'a/b',
        what: 'learned that the window of a/b is 9,000 tokens',
        window: 9_000,
      },
    ]);
    expect(io.stores.size).toBe(1);
  });

  test('a missing session is reported', async () => {
    const { json } = await withWork();
    expect((await json('watch', 'nowhere')).value.error.code).toBe('session-missing');
  });
});
