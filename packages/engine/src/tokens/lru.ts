/** The newest `entries` values by key; reading a value makes it new. */
export class Lru<Value> {
  readonly #values = new Map<string, Value>();
  readonly #entries: number;

  constructor({ entries }: { readonly entries: number }) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#entries) return;
    const oldest = this.#values.keys().next();
    if (!oldest.done) this.#values.delete(oldest.value);
  }
}
