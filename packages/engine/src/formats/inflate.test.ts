import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../session/store/memory.ts';
import { bringIn } from './fixtures/bring-in.ts';
import { oneTurn } from './fixtures/codex-file.ts';
import { jsonl } from './fixtures/pi-file.ts';

const text = jsonl(oneTurn());
const compressed = new Uint8Array(zstdCompressSync(text));

const refusal = async (bytes: Uint8Array) => {
  const store = createMemoryStore();
  const code = await bringIn({ text: bytes, store, chunk: 65_536 }).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
  // Nothing is left of it.
  expect(await store.list()).toEqual([]);
  return code;
};

describe('a session that is compressed with Zstandard', () => {
  test('is the session that it was before, in whatever pieces it comes', async () => {
    const plain = await bringIn({ text });
    for (const chunk of [1, 3, 100_000]) {
      const { entries, session } = await bringIn({ text: compressed, chunk });
      expect(session).toBe(plain.session);
      expect(entries).toEqual(plain.entries);
    }
  });

  test('and grew after it was, goes on where it was', async () => {
    const { store, session } = await bringIn({ text: compressed });
    const grown = jsonl([...oneTurn(), ...oneTurn().slice(5, 7)]);
    expect(await bringIn({ text: new Uint8Array(zstdCompressSync(grown)), store })).toMatchObject({
      session,
      added: 1,
    });
  });

  test('may be several frames', async () => {
    const half = Math.floor(text.length / 2);
    const frames = [text.slice(0, half), text.slice(half)].map((piece) => zstdCompressSync(piece));
    const { entries } = await bringIn({ text: new Uint8Array(Buffer.concat(frames)) });
    expect(entries).toEqual((await bringIn({ text })).entries);
  });

  test('is refused where it was cut, wherever that was', async () => {
    for (const length of [5, 9, Math.floor(compressed.length / 2), compressed.length - 1]) {
      expect(await refusal(compressed.slice(0, length))).toBe('cannot-decompress');
    }
  });

  test('is refused where its bytes were changed', async () => {
    const changed = Uint8Array.from(compressed);
    changed.fill(0xff, 12, 40);
    expect(await refusal(changed)).toBe('cannot-decompress');
  });

  test('is refused where it grows without end, before it has grown', async () => {
    const blank = Buffer.alloc(100 * 1024 * 1024, `${' '.repeat(1_000_000)}\n`);
    const bomb = zstdCompressSync(Buffer.concat([Buffer.from(text), blank]));
    expect(blank.length).toBeGreaterThan(1000 * bomb.length);
    expect(await refusal(new Uint8Array(bomb))).toBe('grows-without-end');
  });
});
