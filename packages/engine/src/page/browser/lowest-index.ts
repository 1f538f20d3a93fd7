/** The first index where something is the case, if from there on it always is; `length` where it never is. */
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
