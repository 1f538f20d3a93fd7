import { createMerger, type Merger } from './merge.ts';
import type { Split } from './split.ts';
import { findToken, hashOf, none, type Vocabulary } from './vocabulary.ts';

/** Counts and encodes UTF-8 that is already in memory. */
export interface BpeCounter {
  /** The number of tokens of `bytes[0, end)`; stops as soon as it is `limit` or more. */
  count(bytes: Uint8Array, end: number, limit: number): number;
  encode(bytes: Uint8Array, end: number, into: number[]): void;
}

export function createCounter({ vocabulary, split }: { vocabulary: Vocabulary; split: Split }): BpeCounter {
  const short = createMerger({ vocabulary, capacity: windowBytes });
  const known = createPieceCache();
  const long = createLongMerger({ vocabulary, window: windowBytes });
  return { count, encode };

  function count(bytes: Uint8Array, end: number, limit: number): number {
    let total = 0;
    for (let at = 0; at < end && total < limit; ) {
      const stop = split(bytes, at, end);
      total += stop - at === 1 ? 1 : countPiece(bytes, at, stop);
      at = stop;
    }
    return total;
  }

  function countPiece(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > windowBytes) return long.merge(bytes, start, end);
    const hash = hashOf(bytes, start, end);
    if (findToken(vocabulary, bytes, start, end, hash) !== none) return 1;
    const remembered = known.get(bytes, start, end, hash);
    if (remembered > 0) return remembered;
    const counted = short.merge(bytes, start, end);
    known.set(bytes, start, end, hash, counted);
    return counted;
  }

  function encode(bytes: Uint8Array, end: number, into: number[]): void {
    for (let at = 0; at < end; ) {
      const stop = split(bytes, at, end);
      const id = findToken(vocabulary, bytes, at, stop, hashOf(bytes, at, stop));
      if (id !== none) into.push(id);
      else {
        const merger = stop - at <= windowBytes ? short : long;
        const found = merger.merge(bytes, at, stop);
        for (let i = 0; i < found; i++) into.push(merger.ids[i] as number);
      }
      at = stop;
    }
  }
}

/** Remembers how many tokens a piece has that is no token itself: the same names and numbers come again and again. */
interface PieceCache {
  /** The count, or 0 where it is not known. */
  get(bytes: Uint8Array, start: number, end: number, hash: number): number;
  set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void;
}

const slotCount = 2 ** 17;
const arenaBytes = 2 ** 21;
const longest = 255;
const probes = 4;

/**
 * Pieces are kept as bytes in one block and compared in full, so that a collision of hashes cannot make a wrong count.
 * When the block is full everything is forgotten: cheaper than keeping an order, and it bounds the memory to 3 MB.
 */
function createPieceCache(): PieceCache {
  /** Two numbers a slot: hash, where the record begins in the arena (0 = free). */
  const slots = new Int32Array(slotCount * 2);
  /** Records: length, count, bytes. */
  const arena = new Uint8Array(arenaBytes);
  let used = 1;
  return { get, set };

  function get(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const length = end - start;
    for (let i = 0; i < probes; i++) {
      const slot = ((hash + i) & (slotCount - 1)) * 2;
      const record = slots[slot + 1] as number;
      if (record === 0) return 0;
      if (slots[slot] !== hash || arena[record] !== length) continue;
      let same = 0;
      while (same < length && arena[record + 2 + same] === bytes[start + same]) same++;
      if (same === length) return arena[record + 1] as number;
    }
    return 0;
  }

  function set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void {
    const length = end - start;
    if (length > longest) return;
    if (used + length + 2 > arenaBytes) {
      slots.fill(0);
      used = 1;
    }
    const slot = freeSlot(hash);
    slots[slot] = hash;
    slots[slot + 1] = used;
    arena[used] = length;
    arena[used + 1] = count;
    for (let i = 0; i < length; i++) arena[used + 2 + i] = bytes[start + i] as number;
    used += length + 2;
  }

  function freeSlot(hash: number): number {
    for (let i = 0; i < probes; i++) {
      const slot = ((hash + i) & (slotCount - 1)) * 2;
      if (slots[slot + 1] === 0) return slot;
    }
    return (hash & (slotCount - 1)) * 2;
  }
}

/** Byte-pair encoding of a piece of any length, in time linear to it. */
interface LongMerger {
  /** The tokens of the last call, valid up to the number it answered. */
  readonly ids: Int32Array;
  merge(bytes: Uint8Array, start: number, end: number): number;
}

/** What is merged at once; also the longest piece for which no window is needed. */
export const windowBytes = 512;

const longestToken = 128;

/**
 * Merges window by window instead of the whole piece at once, which costs n log n and leaves the processor's caches.
 *
 * It is exact by this rule: if x is the last token of the encoding of A and y the first of the encoding of B, and
 * x + y encodes to [x, y], then A + B encodes to both encodings, one after the other. For the first merge across the
 * seam would join the end of x with the beginning of y, by then made of the same merges as in x + y alone; so it would
 * happen there as well. From the same rule, any run of tokens of an encoding is the encoding of its own bytes.
 *
 * So of each window all but the last quarter is kept (what comes after may change the end), the next window begins
 * after the last token kept, and the seam is checked. If it does not hold, the window is moved back and, for the rest
 * of the piece, doubled; so this ends, at worst with the piece as the window. With the window in use it has not been
 * seen to happen: a change travels to the left only over ever higher ranks, and no chain of those is that long.
 */
export function createLongMerger({ vocabulary, window }: { vocabulary: Vocabulary; window: number }): LongMerger {
  const { starts } = vocabulary;
  const usual = createMerger({ vocabulary, capacity: window });
  const seam = createMerger({ vocabulary, capacity: 2 * longestToken });
  const seamBytes = new Uint8Array(2 * longestToken);
  const long = { ids: new Int32Array(window), merge };
  return long;

  function merge(bytes: Uint8Array, start: number, end: number): number {
    let merger = usual;
    let at = start;
    let count = 0;
    while (at < end) {
      const stop = Math.min(end, at + merger.capacity);
      const found = merger.merge(bytes, at, stop);
      if (count > 0 && !holds(long.ids[count - 1] as number, merger.ids[0] as number)) {
        const target = Math.max(start, at - merger.capacity / 2);
        while (at > target) at -= lengthOf(long.ids[--count] as number);
        merger = twice(merger);
        continue;
      }
      const sure = stop === end ? end : stop - merger.capacity / 4;
      const before = count;
      for (let i = 0; i < found; i++) {
        const id = merger.ids[i] as number;
        const after = at + lengthOf(id);
        if (after > sure) break;
        if (count === long.ids.length) grow();
        long.ids[count++] = id;
        at = after;
      }
      if (count === before) merger = twice(merger);
    }
    return count;
  }

  function twice({ capacity }: Merger): Merger {
    return createMerger({ vocabulary, capacity: capacity * 2 });
  }

  function holds(left: number, right: number): boolean {
    const split = spell(left, 0);
    const length = spell(right, split);
    return seam.merge(seamBytes, 0, length) === 2 && seam.ids[0] === left && seam.ids[1] === right;
  }

  function spell(id: number, at: number): number {
    seamBytes.set(vocabulary.bytes.subarray(starts[id], starts[id + 1]), at);
    return at + lengthOf(id);
  }

  function lengthOf(id: number): number {
    return (starts[id + 1] as number) - (starts[id] as number);
  }

  function grow(): void {
    const larger = new Int32Array(long.ids.length * 2);
    larger.set(long.ids);
    long.ids = larger;
  }
}
