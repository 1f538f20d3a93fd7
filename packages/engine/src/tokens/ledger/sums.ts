/** Prefix sums that grow at the end: an append costs one addition, the sum of any stretch one subtraction. */
export interface Sums {
  readonly length: number;
  push(value: number): void;
  truncate(length: number): void;
  /** The sum of the values from `from` up to but not including `to`. */
  between(from: number, to: number): number;
}

export function createSums(): Sums {
  /** before[i] is the sum of the first i values. */
  const before: number[] = [0];
  return {
    get length() {
      return before.length - 1;
    },
    push: (value) => void before.push(at(before.length - 1) + value),
    truncate: (length) => {
      before.length = Math.max(1, Math.min(before.length, length + 1));
    },
    between: (from, to) => at(to) - at(from),
  };

  function at(index: number): number {
    return before[index] as number;
  }
}
