/**
 * Values that are there, or will be. Most elements and most counters answer at once; waiting for what is there already
 * costs more than everything else in a render, so only what is a promise is waited for.
 */
export type Maybe<Value> = Value | PromiseLike<Value>;

export function isPending<Value>(value: Maybe<Value>): value is PromiseLike<Value> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

/** Does the steps one after the other. */
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

/** The values, all of them there, once they are. */
export function together<Value>(values: Maybe<Value>[]): Maybe<Value[]> {
  return values.some(isPending) ? Promise.all(values) : (values as Value[]);
}

/** Adds up numbers that are there or will be. */
export class Sum {
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

  /** Something failed beside the sum: what will be is waited for first, and if that fails, its error is the one. */
  failed(error: unknown): Promise<never> {
    if (!this.#pending) throw error;
    return Promise.all(this.#pending).then(() => {
      throw error;
    });
  }
}
