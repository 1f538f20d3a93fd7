/**
 * A value or a promise of it. Most elements and counters return synchronously, and awaiting values would dominate the
 * cost of a render, so only promises are awaited.
 */
export type Maybe<Value> = Value | PromiseLike<Value>;

export function isPending<Value>(value: Maybe<Value>): value is PromiseLike<Value> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

/** Runs the steps sequentially. */
export function inOrder(count: number, step: (index: number) => Maybe<void>): Maybe<void> {
  for (let index = 0; index < count; index += 1) {
    const pending = step(index);
    if (isPending(pending)) return restInOrder(pending, index + 1, count, step);
  }
}

async function restInOrder(
  pending: PromiseLike<void>,
  from: number,
  count: number,
  step: (index: number) => Maybe<void>,
): Promise<void> {
  await pending;
  for (let index = from; index < count; index += 1) await step(index);
}

/** All values, once available. */
export function together<Value>(values: Maybe<Value>[]): Maybe<Value[]> {
  return values.some(isPending) ? Promise.all(values) : (values as Value[]);
}

/** Adds numbers that may be pending. */
export class PendingSum {
  #total = 0;
  #pending: PromiseLike<number>[] | undefined;

  add(value: Maybe<number>): void {
    if (isPending(value)) {
      this.#pending ??= [];
      this.#pending.push(value);
    } else this.#total += value;
  }

  total(): Maybe<number> {
    if (!this.#pending) return this.#total;
    return Promise.all(this.#pending).then((rest) => rest.reduce((sum, each) => sum + each, this.#total));
  }

  /** Another operation failed: pending counts are awaited first, and their error takes precedence. */
  failed(error: unknown): Promise<never> {
    if (!this.#pending) throw error;
    return Promise.all(this.#pending).then(() => {
      throw error;
    });
  }
}
