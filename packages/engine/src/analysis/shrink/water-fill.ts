/**
 * The cap that makes all sizes add up to `total`: smaller ones stay whole, larger ones are cut to the cap.
 *
 * @example
 * waterFill({ sizes: [10, 20, 1000], total: 130 }); // 100
 */
export function waterFill({ sizes, total }: { readonly sizes: readonly number[]; readonly total: number }): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  let left = total;
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
