/** The first index where a monotonic predicate holds; `length` if it never does. */
export function lowestIndex({
  length,
  isThere,
}: {
  readonly length: number;
  readonly isThere: (index: number) => boolean;
}): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isThere(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
