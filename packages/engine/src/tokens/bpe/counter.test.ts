import { describe, expect, test } from 'vitest';
import { encodings } from '../encodings.ts';
import { createRandom } from '../fixtures/texts.ts';
import { createLongMerger, createMerger, windowBytes } from './counter.ts';
import { loadTables } from './tables.ts';
import { findToken, hashOf, none, packVocabulary, unpackVocabulary, type Vocabulary } from './vocabulary.ts';

const utf8 = new TextEncoder();

function whole(vocabulary: Vocabulary, bytes: Uint8Array): number[] {
  const merger = createMerger({ vocabulary, capacity: bytes.length });
  return [...merger.ids.subarray(0, merger.merge(bytes, 0, bytes.length))];
}

function windowed(vocabulary: Vocabulary, bytes: Uint8Array, window = windowBytes): number[] {
  const merger = createLongMerger({ vocabulary, window });
  const count = merger.merge(bytes, 0, bytes.length);
  return [...merger.ids.subarray(0, count)];
}

/**
 * Letters whose pairs have ever lower ranks toward the right, so that merging starts at the far end and what stands
 * there decides how the beginning is cut: the worst text for a window.
 */
function descending(vocabulary: Vocabulary): string {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const longest = new Map(letters.map((letter) => [letter, letter]));
  const pairs = letters.flatMap((a) => letters.map((b) => ({ a, b, rank: rankOf(a + b) })));
  for (const { a, b, rank } of pairs.sort((x, y) => x.rank - y.rank)) {
    const [from, to] = [longest.get(a) ?? a, longest.get(b) ?? b];
    if (rank !== none && to.length + 1 > from.length) longest.set(a, a + to);
  }
  return [...longest.values()].reduce((best, chain) => (chain.length > best.length ? chain : best));

  function rankOf(pair: string): number {
    const bytes = utf8.encode(pair);
    return findToken(vocabulary, bytes, 0, 2, hashOf(bytes, 0, 2));
  }
}

describe.each(encodings)('%s: merging by windows', (encoding) => {
  test('equals merging the whole piece at once, for random letters of small and large alphabets', async () => {
    const { vocabulary } = await loadTables(encoding);
    const random = createRandom(5);
    for (const alphabet of [
      'ab',
      'aeiou',
      'etaoinshrdlu',
      'abcdefghijklmnopqrstuvwxyz',
      ' \t',
      '=-_',
      'あいう中文字',
    ]) {
      for (const length of [windowBytes - 1, windowBytes, windowBytes + 1, 2_000, 9_000]) {
        const bytes = utf8.encode(Array.from({ length }, () => random.pick(alphabet)).join(''));
        expect(windowed(vocabulary, bytes)).toEqual(whole(vocabulary, bytes));
      }
    }
  });

  test('equals merging the whole piece at once where the end decides over the beginning', async () => {
    const { vocabulary } = await loadTables(encoding);
    const chain = descending(vocabulary);
    expect(chain.length).toBeGreaterThan(50);
    for (let drop = 0; drop < 20; drop++) {
      for (const text of [chain.slice(0, chain.length - drop).repeat(20), chain.slice(drop).repeat(20)]) {
        const bytes = utf8.encode(text);
        const expected = whole(vocabulary, bytes);
        // Windows far too small for the chain have to be moved back and doubled, those in use do not.
        for (const window of [8, 16, 32, 64, windowBytes])
          expect(windowed(vocabulary, bytes, window)).toEqual(expected);
      }
    }
  });

  test('finds tokens that are longer than its window', async () => {
    const { vocabulary } = await loadTables(encoding);
    for (const text of [' '.repeat(1_000), '-'.repeat(1_000), '='.repeat(1_000)]) {
      const bytes = utf8.encode(text);
      expect(windowed(vocabulary, bytes, 8)).toEqual(whole(vocabulary, bytes));
    }
  });

  test('equals merging the whole piece at once for a megabyte of one letter', async () => {
    const { vocabulary } = await loadTables(encoding);
    const bytes = utf8.encode('a'.repeat(2 ** 20));
    expect(windowed(vocabulary, bytes)).toEqual(whole(vocabulary, bytes));
  });
});

describe('a packed vocabulary', () => {
  test('has the same tables after it was read, also from a place in a buffer that is not aligned', async () => {
    const { vocabulary } = await loadTables('o200k_base');
    const packed = packVocabulary(vocabulary);
    const shifted = new Uint8Array(packed.length + 1);
    shifted.set(packed, 1);
    for (const file of [packed, shifted.subarray(1)]) {
      const read = unpackVocabulary(file);
      for (const [name, table] of Object.entries(vocabulary)) {
        const other: unknown = read?.[name as keyof Vocabulary];
        const isSame =
          ArrayBuffer.isView(table) && ArrayBuffer.isView(other)
            ? Buffer.compare(bytesOf(table), bytesOf(other)) === 0
            : table === other;
        expect({ name, isSame }).toEqual({ name, isSame: true });
      }
    }
  });

  test('that is cut, of another version or of another kind is not used', async () => {
    const packed = packVocabulary((await loadTables('cl100k_base')).vocabulary);
    const other = packed.slice();
    other[4] = 9;
    for (const file of [
      new Uint8Array(),
      packed.subarray(0, 19),
      packed.subarray(0, -1),
      other,
      utf8.encode('x'.repeat(99)),
    ])
      expect(unpackVocabulary(file)).toBeUndefined();
  });

  function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
});
