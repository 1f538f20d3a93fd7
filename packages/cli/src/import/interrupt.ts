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

/** The failure of an import that a person called off. */
export function interrupted({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    cause: `interrupted before the end of ${name}: no new session was left behind.`,
    next: 'Run the command again to import it.',
  });
}

/** The same where all was stored already, and only its tokens were still to be counted. */
export function interruptedLate({ name, session }: { readonly name: string; readonly session: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    cause: `interrupted while counting: ${name} is imported, as session ${session}.`,
    next: `Run \`longhaul stats ${session}\` for the numbers.`,
  });
}
