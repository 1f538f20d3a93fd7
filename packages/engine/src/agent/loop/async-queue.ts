/** Values that are put in at one end and read at the other, each at its own pace. */
export interface Outbox<T> {
  put(value: T): void;
  /** Nothing comes after what was put in so far. */
  end(): void;
  read(): AsyncGenerator<T, void, undefined>;
}

export function createOutbox<T>(): Outbox<T> {
  let waiting: T[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    wake?.();
    wake = undefined;
  };
  return {
    put(value) {
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

/** The other end for one reader, who ends what is told by not reading on. */
export function reading<T>(of: {
  readonly outbox: Outbox<T>;
  readonly stop: () => void;
  /** Resolves when it is over. */
  readonly over: Promise<void>;
}): AsyncIterableIterator<T> {
  const values = of.outbox.read();
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
