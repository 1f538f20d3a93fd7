import type { Io } from './io.ts';

/**
 * Runs work that Ctrl-C aborts through a signal instead of ending the process.
 *
 * @example
 * await callableOff({ io, work: (signal) => importFile({ …, signal }) });
 */
export async function abortOnInterrupt<Answer>({
  io,
  work,
}: {
  readonly io: Pick<Io, 'onInterrupt'>;
  readonly work: (signal: AbortSignal) => Promise<Answer>;
}): Promise<Answer> {
  const stop = new AbortController();
  const forget = io.onInterrupt(() => stop.abort());
  try {
    return await work(stop.signal);
  } finally {
    forget();
  }
}
