import type { Segment } from './render.ts';

/** A text that shows parts of another, with offsets that can be carried over both ways. */
export interface Projection {
  readonly text: string;
  /** Runs of the original in the order in which they are shown. */
  readonly segments: readonly Segment[];
  /** The offset in the original; `undefined` inside a marker or a line number. */
  readonly toOriginal: (at: number) => number | undefined;
  /** The offset in the projection; `undefined` for what is left out. */
  readonly toProjected: (at: number) => number | undefined;
}

/** Makes a projection of rendered segments. */
export function projectionOf({
  original,
  text,
  segments,
}: {
  readonly original: string;
  readonly text: string;
  readonly segments: readonly Segment[];
}): Projection {
  const lengthOf = ({ start, end }: Segment) => end - start;
  const find = (isBehind: (segment: Segment) => boolean): Segment | undefined => {
    let [low, high] = [0, segments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const segment = segments[middle];
      if (segment && isBehind(segment)) high = middle;
      else low = middle + 1;
    }
    return segments[low - 1];
  };
  return {
    text,
    segments,
    toOriginal(at) {
      const segment = find((one) => one.at > at);
      if (!segment) return at === 0 && original === '' ? 0 : undefined;
      const offset = at - segment.at;
      const isLast = segment === segments.at(-1);
      return offset < lengthOf(segment) || (isLast && offset === lengthOf(segment))
        ? segment.start + offset
        : undefined;
    },
    toProjected(at) {
      const segment = find((one) => one.start > at);
      if (!segment) return undefined;
      const isLast = segment === segments.at(-1);
      return at < segment.end || (isLast && at === segment.end) ? segment.at + (at - segment.start) : undefined;
    },
  };
}
