/** A queue with independent producer and consumer. */
export interface AsyncQueue<T> {
  push(value: T): void;
  /** No more values follow. */
  end(): void;
  read(): AsyncGenerator<T, void, undefined>;
}

export function createAsyncQueue<T>(): AsyncQueue<T> {
  let waiting: T[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(value) {
      if (isOver) return;
      waiting.push(value);
      ring();
    },
    end() {
      isOver = true;
      ring();
    },
    async *read() {
      for (;;) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** An iterator for one reader; returning early stops the producer. */
export function readerOf<T>(of: {
  readonly queue: AsyncQueue<T>;
  readonly stop: () => void;
  /** Resolves when the producer has finished. */
  readonly over: Promise<void>;
}): AsyncIterableIterator<T> {
  const values = of.queue.read();
  return {
    next: () => values.next(),
    async return() {
      of.stop();
      await of.over;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
