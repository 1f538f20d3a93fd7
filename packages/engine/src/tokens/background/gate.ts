import { LonghaulError } from '../../errors.ts';

/** Lets in as much work as fits and makes the rest wait in order: what is sent to a worker lies in memory twice. */
export interface Gate {
  /** Resolves when `size` may enter; rejects with the signal's reason when it is aborted first. */
  enter(request: { readonly size: number; readonly signal?: AbortSignal | undefined }): Promise<void>;
  leave(size: number): void;
}

export function createGate({ capacity, waiting }: { readonly capacity: number; readonly waiting: number }): Gate {
  const queue = new Set<{ size: number; admit: () => void }>();
  let inside = 0;
  return { enter, leave };

  async function enter({ size, signal }: { size: number; signal?: AbortSignal | undefined }): Promise<void> {
    if (queue.size === 0 && fits(size)) {
      inside += size;
      return;
    }
    if (queue.size >= waiting) {
      throw new LonghaulError({
        code: 'tokens-overloaded',
        cause: `${waiting} counts are already waiting.`,
        next: 'Await earlier counts before asking for more, or raise `waiting`.',
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { size, admit: resolve };
    queue.add(place);
    const abort = () => {
      // Once admitted it is no longer in the queue, and whoever entered must leave.
      if (queue.delete(place)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  function leave(size: number): void {
    inside -= size;
    for (const place of queue) {
      if (!fits(place.size)) return;
      queue.delete(place);
      inside += place.size;
      place.admit();
    }
  }

  /** What is larger than the whole gate enters alone. */
  function fits(size: number): boolean {
    return inside === 0 || inside + size <= capacity;
  }
}
