import type { Desk } from './effect-context.ts';

/** Waits for work; where it was told to end and does not within the grace, for what stands in its place. */
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
    // What fails after it was given up is nobody's business any more.
    work.catch(() => undefined);
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener('abort', count);
    over.abort();
  }
}
