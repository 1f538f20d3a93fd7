import { createLongMerger, windowBytes } from './long.ts';
import { createMerger } from './merge.ts';
import { createPieceCache } from './piece-cache.ts';
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
