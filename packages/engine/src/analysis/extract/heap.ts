/** A max-heap of small integers with mutable keys, each at most once. */
export interface MaxHeap {
  readonly size: number;
  /** The second highest key. */
  readonly second: number;
  readonly first: number;
  pop(): void;
  /** Lowers the key of the first one. */
  lower(key: number): void;
  /** Raises the key of a number. */
  raise(input: { readonly number: number; readonly key: number }): void;
}

/** Contains the numbers `0 … keys.length - 1`. Equal keys are ordered by number. */
export function createMaxHeap(initial: Float64Array): MaxHeap {
  const keys = initial.slice();
  const order = Int32Array.from(keys, (_, number) => number);
  const places = order.slice();
  let size = order.length;
  for (let place = (size >> 1) - 1; place >= 0; place -= 1) sink(place);
  return {
    get size() {
      return size;
    },
    get second() {
      return Math.max(keyAt(1), keyAt(2));
    },
    get first() {
      return order[0] ?? -1;
    },
    pop() {
      const last = size - 1;
      swap(0, last);
      size = last;
      sink(0);
    },
    lower(key) {
      keys[order[0] ?? 0] = key;
      sink(0);
    },
    raise({ number, key }) {
      const place = places[number] ?? size;
      if (place >= size || key <= (keys[number] ?? 0)) return;
      keys[number] = key;
      rise(place);
    },
  };

  function keyAt(place: number): number {
    return place < size ? (keys[order[place] ?? 0] ?? 0) : Number.NEGATIVE_INFINITY;
  }

  function isBefore(a: number, b: number): boolean {
    const [keyA, keyB] = [keyAt(a), keyAt(b)];
    return keyA > keyB || (keyA === keyB && (order[a] ?? 0) < (order[b] ?? 0));
  }

  function swap(a: number, b: number): void {
    const [numberA, numberB] = [order[a] ?? 0, order[b] ?? 0];
    order[a] = numberB;
    order[b] = numberA;
    places[numberB] = a;
    places[numberA] = b;
  }

  function sink(from: number): void {
    for (let place = from; ; ) {
      const left = 2 * place + 1;
      let best = place;
      if (left < size && isBefore(left, best)) best = left;
      if (left + 1 < size && isBefore(left + 1, best)) best = left + 1;
      if (best === place) return;
      swap(place, best);
      place = best;
    }
  }

  function rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!isBefore(place, parent)) return;
      swap(place, parent);
      place = parent;
    }
  }
}
