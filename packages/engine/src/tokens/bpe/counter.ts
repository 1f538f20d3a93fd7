import { createLongMerger, windowBytes } from './long.ts';
import { createMerger } from './merge.ts';
import type { Split } from './split.ts';
import { findToken, none, type Vocabulary } from './vocabulary.ts';

/** Counts and encodes UTF-8 that is already in memory. */
export interface Counter {
  /** The number of tokens of `bytes[0, end)`; stops as soon as it is more than `limit`. */
  count(bytes: Uint8Array, end: number, limit: number): number;
  encode(bytes: Uint8Array, end: number, into: number[]): void;
}

export function createCounter({ vocabulary, split }: { vocabulary: Vocabulary; split: Split }): Counter {
  const short = createMerger({ vocabulary, capacity: windowBytes });
  const long = createLongMerger({ vocabulary, window: windowBytes });
  return { count, encode };

  function count(bytes: Uint8Array, end: number, limit: number): number {
    let total = 0;
    for (let at = 0; at < end && total <= limit; ) {
      const stop = split(bytes, at, end);
      if (stop - at === 1 || findToken(vocabulary, bytes, at, stop) !== none) total++;
      else total += mergerFor(stop - at).merge(bytes, at, stop);
      at = stop;
    }
    return total;
  }

  function encode(bytes: Uint8Array, end: number, into: number[]): void {
    for (let at = 0; at < end; ) {
      const stop = split(bytes, at, end);
      const id = findToken(vocabulary, bytes, at, stop);
      if (id !== none) into.push(id);
      else {
        const merger = mergerFor(stop - at);
        const found = merger.merge(bytes, at, stop);
        for (let i = 0; i < found; i++) into.push(merger.ids[i] as number);
      }
      at = stop;
    }
  }

  function mergerFor(length: number) {
    return length <= windowBytes ? short : long;
  }
}
