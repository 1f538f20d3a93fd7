import { createMerger, type Merger } from './merge.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Byte-pair encoding of a piece of any length, in time linear to it. */
export interface LongMerger {
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
