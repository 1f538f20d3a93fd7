import { LonghaulError } from 'longhaul';
import type { Io } from '../io/io.ts';

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

/** The failure of work that a person called off. */
export function interrupted({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    cause: `interrupted: ${name} was not imported, and no new session was left behind.`,
    next: 'Run the command again to import it.',
  });
}
