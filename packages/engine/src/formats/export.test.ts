import { describe, expect, test } from 'vitest';
import { said } from '../session/fixtures/entries.ts';
import { begin } from '../session/fixtures/sessions.ts';
import { createMemoryStore } from '../session/store/memory.ts';
import type { Store } from '../session/store/store.ts';
import { exportFormats, exportSession } from './export.ts';

/** A session of long messages, and how often its log was read. */
async function longSession() {
  const memory = createMemoryStore();
  let reads = 0;
  const store: Store = {
    ...memory,
    read: async (input) => {
      reads += 1;
      return await memory.read(input);
    },
  };
  const { session } = await begin({ store });
  await session.appendBatch(Array.from({ length: 1000 }, (_, index) => said(`${index} ${'x'.repeat(20_000)}`)));
  reads = 0;
  return { store, session: session.id, reads: () => reads };
}

describe('a file is written as it is read', () => {
  test('the log is read when its text is asked for, not before', async () => {
    const { store, session, reads } = await longSession();
    const { text } = await exportSession({ store, session, format: 'longhaul' });
    expect(reads()).toBe(0);
    const pieces = text[Symbol.asyncIterator]();
    for (let piece = 0; piece < 100; piece += 1) await pieces.next();
    expect(reads()).toBe(1);
    await pieces.return?.();
  });

  test.each(exportFormats)('no piece of %s holds more than a small part of it', async (format) => {
    const { store, session } = await longSession();
    const { text } = await exportSession({ store, session, format });
    const sizes = (await Array.fromAsync(text)).map(({ length }) => length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(20_000_000);
    expect(Math.max(...sizes)).toBeLessThan(2_000_000);
  });

  test('what is appended meanwhile is not part of it', async () => {
    const { store, session } = await begin();
    await session.append(said('before'));
    const { text } = await exportSession({ store, session: session.id, format: 'longhaul' });
    await session.append(said('after'));
    expect((await Array.fromAsync(text)).join('')).not.toContain('after');
  });
});
