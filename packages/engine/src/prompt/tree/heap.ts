/** A binary heap of indices. */
export class NodeHeap {
  #places: Int32Array;
  #size = 0;
  readonly #isBefore: (a: number, b: number) => boolean;

  constructor({ capacity, isBefore }: { readonly capacity: number; isBefore(a: number, b: number): boolean }) {
    this.#places = new Int32Array(capacity);
    this.#isBefore = isBefore;
  }

  /** Adds a range of indices in linear time. */
  fill(from: number, to: number): void {
    for (let place = from; place < to; place += 1) this.#places[this.#size++] = place;
    for (let at = (this.#size >> 1) - 1; at >= 0; at -= 1) this.#down(at);
  }

  peek(): number | undefined {
    return this.#size > 0 ? this.#places[0] : undefined;
  }

  pop(): void {
    this.#size -= 1;
    this.#places[0] = this.#places[this.#size] ?? 0;
    if (this.#size > 1) this.#down(0);
  }

  /** Restores the order after the top has moved back. */
  settleTop(): void {
    this.#down(0);
  }

  #down(from: number): void {
    const places = this.#places;
    const isBefore = this.#isBefore;
    const place = places[from] ?? 0;
    let at = from;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && isBefore(places[right] ?? 0, places[child] ?? 0)) child = right;
      if (!isBefore(places[child] ?? 0, place)) break;
      places[at] = places[child] ?? 0;
      at = child;
    }
    places[at] = place;
  }
}
