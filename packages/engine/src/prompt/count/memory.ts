/** Default limit of cached characters. */
const defaultChars = 32_000_000;

/**
 * Counts that outlive a render, so that the next turn counts only new text. Belongs to one tokenizer. Entries that are
 * not used for a long time are evicted.
 *
 * @example
 * const memory = new CountMemory();
 * await render({ element, budget: 8000, tokenizer, memory });
 * await render({ element, budget: 4000, tokenizer, memory });
 */
export class CountMemory {
  readonly texts: Generations;
  readonly messages: Generations;

  constructor({ chars = defaultChars }: { readonly chars?: number } = {}) {
    this.texts = new Generations({ chars: chars / 2 });
    this.messages = new Generations({ chars: chars / 2 });
  }
}

/** Two generations of counts: when the young one is full, the old one is dropped. */
export class Generations {
  readonly #chars: number;
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #size = 0;

  constructor({ chars }: { readonly chars: number }) {
    this.#chars = chars;
  }

  get(key: string): number | undefined {
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const old = this.#older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, tokens: number): void {
    this.#recent.set(key, tokens);
    this.#size += key.length;
    if (this.#size * 2 <= this.#chars) return;
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#size = 0;
  }
}
