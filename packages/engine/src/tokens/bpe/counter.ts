import { createLongMerger, windowBytes } from './long.ts';
import { createMerger } from './merge.ts';
import type { Split } from './split.ts';
import { findToken, hashOf, none, type Vocabulary } from './vocabulary.ts';

/** Counts and encodes UTF-8 that is already in memory. */
export interface Counter {
  /** The number of tokens of `bytes[0, end)`; stops as soon as it is `limit` or more. */
  count(bytes: Uint8Array, end: number, limit: number): number;
  encode(bytes: Uint8Array, end: number, into: number[]): void;
}

export function createCounter({ vocabulary, split }: { vocabulary: Vocabulary; split: Split }): Counter {
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
