import type { Split } from './split.ts';
import { findPair, findToken, hashOf, none, type Vocabulary } from './vocabulary.ts';

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
  const shared = createMerger({ vocabulary, capacity: window });
  const seam = createMerger({ vocabulary, capacity: 2 * longestToken });
  const seamBytes = new Uint8Array(2 * longestToken);
  const long = { ids: new Int32Array(window), merge };
  return long;

  function merge(bytes: Uint8Array, start: number, end: number): number {
    let merger = shared;
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

/** Byte-pair encoding of one piece of at most `capacity` bytes. */
interface Merger {
  readonly capacity: number;
  /** The tokens of the last call, valid up to the number it answered. */
  readonly ids: Int32Array;
  merge(bytes: Uint8Array, start: number, end: number): number;
}

/** Up to here looking through all pairs for the lowest rank is faster than keeping them in a heap. */
const scanned = 48;

/** A heap entry is rank * places + position in one number, so that equal ranks merge from the left. */
const places = 2 ** 26;

/**
 * Only the pair that last made a token can make it in any text: whatever surrounds a token, the merges inside it
 * happen in the same order as if it stood alone. So a lookup by pair of tokens is exact, and needs no bytes.
 */
export function createMerger({ vocabulary, capacity }: { vocabulary: Vocabulary; capacity: number }): Merger {
  const ids = new Int32Array(capacity);
  const ranks = new Int32Array(capacity);
  const next = new Int32Array(capacity + 1);
  const previous = new Int32Array(capacity + 1);
  const heap = new Float64Array(capacity * 2);
  let heaped = 0;
  return { capacity, ids, merge };

  function merge(bytes: Uint8Array, start: number, end: number): number {
    const { byteIds, bytePairs } = vocabulary;
    const length = end - start;
    let before = bytes[start] as number;
    ids[0] = byteIds[before] as number;
    for (let i = 1; i < length; i++) {
      const byte = bytes[start + i] as number;
      ids[i] = byteIds[byte] as number;
      ranks[i - 1] = bytePairs[(before << 8) | byte] as number;
      before = byte;
    }
    return length <= scanned ? mergeScanning(length) : mergeHeaped(length);
  }

  function mergeScanning(length: number): number {
    let count = length;
    for (;;) {
      let rank = none;
      let at = 0;
      for (let i = 0; i < count - 1; i++) {
        const candidate = ranks[i] as number;
        if (candidate < rank) {
          rank = candidate;
          at = i;
        }
      }
      if (rank === none) return count;
      count--;
      ids[at] = rank;
      for (let i = at + 1; i < count; i++) {
        ids[i] = ids[i + 1] as number;
        ranks[i - 1] = ranks[i] as number;
      }
      if (at > 0) ranks[at - 1] = findPair(vocabulary, ids[at - 1] as number, rank);
      if (at < count - 1) ranks[at] = findPair(vocabulary, rank, ids[at + 1] as number);
    }
  }

  function mergeHeaped(length: number): number {
    heaped = 0;
    for (let i = 0; i < length; i++) {
      next[i] = i + 1;
      previous[i] = i - 1;
      if (i < length - 1) offer(i, ranks[i] as number);
    }
    ranks[length - 1] = none;
    let count = length;
    while (heaped > 0) {
      const top = take();
      const rank = (top / places) | 0;
      const at = top - rank * places;
      if (ranks[at] !== rank) continue;
      count--;
      ids[at] = rank;
      const gone = next[at] as number;
      const after = next[gone] as number;
      ranks[gone] = none;
      next[at] = after;
      previous[after] = at;
      ranks[at] = after < length ? findPair(vocabulary, rank, ids[after] as number) : none;
      offer(at, ranks[at] as number);
      const left = previous[at] as number;
      if (left < 0) continue;
      ranks[left] = findPair(vocabulary, ids[left] as number, rank);
      offer(left, ranks[left] as number);
    }
    for (let i = 0, at = 0; i < count; i++, at = next[at] as number) ids[i] = ids[at] as number;
    return count;
  }

  function offer(at: number, rank: number): void {
    if (rank === none) return;
    const entry = rank * places + at;
    let hole = heaped++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent] as number;
      if (above <= entry) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = entry;
  }

  function take(): number {
    const top = heap[0] as number;
    const last = heap[--heaped] as number;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= heaped) break;
      if (child + 1 < heaped && (heap[child + 1] as number) < (heap[child] as number)) child++;
      const below = heap[child] as number;
      if (below >= last) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = last;
    return top;
  }
}
