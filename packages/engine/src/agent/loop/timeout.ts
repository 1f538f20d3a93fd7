import type { Desk } from './effect-context.ts';

/** Awaits work; after an abort it waits for the grace period and then returns the result of `late`. */
export async function withGrace<T>({
  work,
  desk: { signal, clock, grace },
  late,
}: {
  readonly work: Promise<T>;
  readonly desk: Pick<Desk, 'signal' | 'clock' | 'grace'>;
  readonly late: () => T;
}): Promise<T> {
  const over = new AbortController();
  const given = Promise.withResolvers<T>();
  const count = () => {
    clock.sleep(grace, over.signal).then(
      () => given.resolve(late()),
      () => undefined,
    );
  };
  signal.addEventListener('abort', count, { once: true });
  if (signal.aborted) count();
  try {
    // The result is no longer used, so a late failure is ignored.
    work.catch(() => undefined);
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener('abort', count);
    over.abort();
  }
}
