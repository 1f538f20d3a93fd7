import { findPair, none, type Vocabulary } from './vocabulary.ts';

/** Byte-pair encoding of one piece of at most `capacity` bytes. */
export interface Merger {
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
