import type { Io } from './io.ts';

/**
 * Does work that Ctrl-C calls off instead of ending the process in the middle of it.
 *
 * @example
 * await callableOff({ io, work: (signal) => importFile({ …, signal }) });
 */
export async function callableOff<Answer>({
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
