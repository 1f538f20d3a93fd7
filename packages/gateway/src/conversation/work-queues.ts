/** Work with the store took longer than a request waits for it. */
class StoreTimeout extends Error {
  constructor() {
    super('The store did not answer in time.');
  }
}

/** Runs the work of each key one after the other. A caller waits for a limited time only; the work itself goes on. */
export class WorkQueues {
  readonly #time: number;
  readonly #newest = new Map<string, Promise<unknown>>();
  /** Keys whose work took too long. They take no more until it has ended. */
  readonly #overdue = new Set<string>();

  constructor({ time }: { readonly time: number }) {
    this.#time = time;
  }

  has(key: string): boolean {
    return this.#newest.has(key);
  }

  async run<T>({ key, work }: { readonly key: string; readonly work: () => Promise<T> }): Promise<T> {
    if (this.#overdue.has(key)) throw new StoreTimeout();
    const done = (this.#newest.get(key) ?? Promise.resolve()).then(work, work);
    const settled = done.catch(() => undefined);
    this.#newest.set(key, settled);
    const ended = settled.then(() => {
      if (this.#newest.get(key) !== settled) return;
      this.#newest.delete(key);
      this.#overdue.delete(key);
    });
    try {
      return await within({ ms: this.#time, work: ended.then(() => done) });
    } catch (error) {
      if (error instanceof StoreTimeout) this.#overdue.add(key);
      throw error;
    }
  }

  /** Waits for all work, for the same time at most. */
  async ended(): Promise<void> {
    await within({ ms: this.#time, work: Promise.all(this.#newest.values()) }).catch(() => undefined);
  }
}

/**
 * The result of work with the store; rejects after `ms` milliseconds.
 *
 * @example
 * await within({ ms: 2_000, work: store.head(session) });
 */
export async function within<T>({ ms, work }: { readonly ms: number; readonly work: Promise<T> }): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreTimeout()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
