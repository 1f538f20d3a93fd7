import { BudgetExceededError, stillTooLong } from './errors.ts';

/** After so many refusals in a row a further attempt is not worth its price. */
const most = 3;

/** Below this nothing more can be cut. */
const smallest = 1_000;

/**
 * Requests in a row that a provider refused as too long. Each is smaller than the one before; after a few it is an error
 * that somebody sees, not a loop (cli#4663: 38 of 38 failed, and each was paid).
 */
export class Refusals {
  #count = 0;
  #size: number | undefined;
  #window = 0;
  #isNamed = false;
  #model = '';

  /** What the next request to a model has to be smaller than. What one refused says nothing of another (sessions.md 4.3). */
  sizeFor(model: string): number | undefined {
    return model === this.#model ? this.#size : undefined;
  }

  /** Whether the newest request was refused, and none was taken since. */
  get isPending(): boolean {
    return this.#count > 0;
  }

  add({
    model,
    size,
    window,
    isNamed,
  }: {
    readonly model: string;
    readonly size: number;
    /** What it was meant to fit into. */
    readonly window: number;
    /** The error named the limit, so nothing else is to be learned from it. */
    readonly isNamed: boolean;
  }): void {
    if (this.#size === undefined) this.#window = window;
    this.#model = model;
    this.#count += 1;
    this.#size = Math.max(size, smallest);
    this.#isNamed ||= isNamed;
  }

  /**
   * A smaller request was taken, or something new is tried. What it tells of a limit that no error named: but the larger
   * one need not have been refused for its tokens, so not less than half of what was known is taken for true.
   */
  clear(): number | undefined {
    const size = this.#isNamed ? undefined : this.#size;
    const learned = size === undefined ? undefined : Math.max(size, Math.floor(this.#window / 2));
    this.#count = 0;
    this.#size = undefined;
    this.#isNamed = false;
    return learned;
  }

  check(model: string): void {
    if (this.#count > most && model === this.#model) throw stillTooLong({ refusals: this.#count });
  }

  /** What does not fit because of a refusal is not the fault of the part that is too large. */
  explain(error: unknown): never {
    throw this.#count > 0 && error instanceof BudgetExceededError ? stillTooLong({ refusals: this.#count }) : error;
  }
}
